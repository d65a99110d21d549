import type { JsonObject } from '@yardmaster/contract/json'
import type { Configuration } from '@yardmaster/contract/triggers/conditions'

/** A valid configuration in its stored form, or what is wrong with it. */
export type ReadCondition =
  | { configuration: Configuration; isOneShot: boolean; problems?: undefined }
  | { problems: string[] }

/** A configuration while it is read: values by key, and the problems found so far. */
export type Reading = {
  problems: string[]
  /** The value as text without surrounding spaces; undefined if absent or blank. */
  text(key: string): string | undefined
  /** One of the known words, without regard to case. */
  word<const Word extends string>(key: string, known: readonly Word[]): Word | undefined
  /** Distinct texts. A text with line breaks is a list too; commas do not separate. */
  list(key: string): string[]
  value(key: string): unknown
  isGiven(key: string): boolean
}

/** Refuses keys that the condition does not have: ignoring one looks like success. */
export function reading(configuration: JsonObject, known: readonly string[]): Reading {
  const problems: string[] = []
  const unknown = Object.keys(configuration).filter((key) => !known.includes(key))
  if (unknown.length > 0) problems.push(`has unknown keys: ${unknown.slice(0, 10).join(', ')}`)
  const value = (key: string): unknown => (Object.hasOwn(configuration, key) ? configuration[key] : undefined)
  const text = (key: string): string | undefined => {
    const given = value(key)
    if (given === undefined || given === null) return undefined
    if (typeof given !== 'string' && typeof given !== 'number') {
      problems.push(`${key} must be a string`)
      return undefined
    }
    const trimmed = String(given).trim()
    if (Array.from(trimmed.slice(0, 2 * maxText + 2)).length > maxText) problems.push(`${key} is too long`)
    return trimmed === '' ? undefined : trimmed
  }
  return {
    problems,
    value,
    text,
    isGiven: (key) => value(key) !== undefined && value(key) !== null && value(key) !== '',
    word: (key, words) => {
      const given = text(key)
      if (given === undefined) return undefined
      const found = words.find((word) => word === given.toLowerCase())
      if (found === undefined) problems.push(`${key} must be one of: ${words.join(', ')}`)
      return found
    },
    list: (key) => {
      const given = value(key)
      if (given === undefined || given === null) return []
      const entries = typeof given === 'string' ? given.split(/\r?\n/) : given
      if (!Array.isArray(entries) || entries.some((entry) => typeof entry !== 'string')) {
        problems.push(`${key} must be an array`)
        return []
      }
      if (entries.length > maxEntries) problems.push(`${key} has too many entries (maximum is ${maxEntries})`)
      const trimmed = entries.slice(0, maxEntries).map((entry: string) => entry.trim())
      if (trimmed.some((entry) => entry.length > maxText)) problems.push(`${key} has an entry that is too long`)
      return [...new Set(trimmed.filter(Boolean))]
    },
  }
}

const maxText = 255
const maxEntries = 200
