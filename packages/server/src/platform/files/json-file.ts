import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { parseJson } from '../parse-json.ts'
import { errnoOf } from '../process/errno.ts'
import { StartupError } from '../startup-error.ts'

/**
 * Reads a JSON file that start-up needs and parses it by a schema.
 *
 * @throws StartupError `<path>: <place in the file> <problem>.`, which never quotes the content: it may hold a secret.
 */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>): T {
  const value = parseJsonFile(readText(path))
  if (value === undefined) throw fileError(path, notJson)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw fileError(path, `${placeOf(issue?.path ?? [])}${issue?.message}`)
}

/** For problems that a schema cannot express. */
export function fileError(path: string, problem: string): StartupError {
  return new StartupError(`${path}: ${problem}.`)
}

/** Undefined when the content is not JSON. Editors may add a byte order mark. */
export function parseJsonFile(content: string): unknown {
  return parseJson(content.replace(/^\uFEFF/, ''))
}

export const notJson = 'is not valid JSON'

/** Why the operating system did not let us read a file. Rethrows an error that is not the operating system's. */
export function readProblem(error: unknown): string {
  const code = errnoOf(error)
  if (code === undefined) throw error
  return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw fileError(path, readProblem(error))
  }
}

export function placeOf(path: readonly PropertyKey[]): string {
  const place = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  return place === '' ? '' : `${place.replace(/^\./, '')} `
}
