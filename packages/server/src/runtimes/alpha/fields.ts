import { parseJson } from '../../platform/parse-json.ts'

/** The CLI's JSON differs between versions: a field that is missing or of another type reads as undefined. */
export type Fields = Readonly<Record<string, unknown>>

export function parseFields(text: string): Fields | undefined {
  return fieldsOf(parseJson(text))
}

export function fieldsOf(value: unknown): Fields | undefined {
  // Safe: an object that is not an array has string keys.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The objects in a list. */
export function fieldsIn(value: unknown): Fields[] {
  return listOf(value).flatMap((item): Fields[] => {
    const fields = fieldsOf(item)
    return fields ? [fields] : []
  })
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
