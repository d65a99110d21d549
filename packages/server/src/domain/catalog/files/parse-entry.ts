import { z } from 'zod'
import { type Reading, sentenceAbout } from './reading.ts'

/** The file and key that a problem refers to. */
export type Place = { file: string; key: string }

/** Parses an entry. Returns undefined and records a problem for each invalid key; records a warning for each unknown key. */
export function parseEntry<T>(reading: Reading, schema: z.ZodType<T>, value: unknown, at: Place): T | undefined {
  const keyed = (path: readonly PropertyKey[]): string => [at.key, ...path.map(String)].filter(Boolean).join('.')
  const result = schema.safeParse(value)
  if (!result.success) {
    for (const issue of result.error.issues) {
      reading.problems.push(sentenceAbout(at.file, keyed(issue.path), messageOf(issue)))
    }
    return undefined
  }
  if (schema instanceof z.ZodObject) {
    const unknown = Object.keys(value as object).filter((key) => key !== '$schema' && !Object.hasOwn(schema.shape, key))
    for (const key of unknown) reading.warnings.push(sentenceAbout(at.file, keyed([key]), 'is not known and ignored'))
  }
  return result.data
}

/** zod's messages, without the values that they may quote. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `must be one of: ${issue.values.map(String).join(', ')}`
  if (issue.code !== 'invalid_type') return issue.message
  return issue.message.endsWith('received undefined') ? 'is required' : `must be of type ${issue.expected}`
}
