export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable
export type TomlTable = { readonly [key: string]: TomlValue | undefined }

/** Writes a document: plain values first, then tables. Keys and strings may hold any text; `undefined` is omitted. */
export function toToml(document: TomlTable): string {
  return section([], document).join('\n').concat('\n')
}

function section(path: readonly string[], table: TomlTable): string[] {
  const entries = Object.entries(table).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  const own = entries.flatMap(([key, value]) => (isTable(value) ? [] : [`${quoted(key)} = ${inline(value)}`]))
  const header = path.length > 0 ? ['', `[${path.map(quoted).join('.')}]`] : []
  const inner = entries.flatMap(([key, value]) => (isTable(value) ? section([...path, key], value) : []))
  return [...header, ...own, ...inner]
}

function isTable(value: TomlValue): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value)
}

function inline(value: TomlValue): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object') return String(value)
  if (!isTable(value)) return `[${value.map(inline).join(', ')}]`
  const pairs = Object.entries(value).flatMap(([key, inner]) =>
    inner === undefined ? [] : [`${quoted(key)} = ${inline(inner)}`],
  )
  return `{ ${pairs.join(', ')} }`
}

/** JSON's escapes are valid in TOML. TOML rejects two things that JSON does not escape: DEL and lone surrogates. */
function quoted(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f')
}
