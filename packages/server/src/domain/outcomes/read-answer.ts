import type { NewAnalysis } from '@yardmaster/contract/outcomes/fields'

/** The analysis in what an agent said, with or without words or a fence around it. Undefined if there is no JSON object. */
export function readAnswer(text: string): Pick<NewAnalysis, 'root' | 'notes'> | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  const given = start < 0 ? undefined : parseStorable(text.slice(start, end + 1))
  if (typeof given !== 'object' || given === null) return undefined
  const { root, notes } = given as { root?: unknown; notes?: unknown } // any object may have the keys
  return root === undefined ? { root: given, notes: undefined } : { root, notes }
}

/** PostgreSQL accepts neither NUL nor a lone surrogate. */
function parseStorable(json: string): unknown {
  try {
    return JSON.parse(json, (_key, value: unknown) =>
      typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
    )
  } catch {
    return undefined // no JSON, or nested too deeply
  }
}
