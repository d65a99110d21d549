import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

type Lookup = { command: string; path: string | undefined; cwd?: string }

/**
 * The real path of a program, found as the system finds it: a name on the given PATH, anything with a slash relative to
 * the working folder. Undefined if there is none that can be run.
 */
export async function findProgram({ command, path = '', cwd = '/' }: Lookup): Promise<string | undefined> {
  const candidates = command.includes('/')
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : path.split(delimiter).map((folder) => join(folder === '' ? cwd : folder, command))
  for (const candidate of candidates) if (await isProgram(candidate)) return realpath(candidate)
  return undefined
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
