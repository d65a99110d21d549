/** The CLI's JSON changes from version to version: what is missing or of another shape reads as absent. */
export type Fields = Readonly<Record<string, unknown>>

export function parseFields(text: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

export function fieldsOf(value: unknown): Fields | undefined {
  // An object that is no array has string keys, whatever their values are.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Those of a list that are objects. */
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
