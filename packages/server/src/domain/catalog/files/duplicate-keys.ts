/**
 * Paths of duplicate keys in a JSON text. `JSON.parse` silently keeps the last of them. The text must be valid JSON.
 */
export function duplicateKeys(text: string): string[] {
  const found: string[] = []
  const open: Level[] = []
  // Strings and structural characters; numbers, literals and white space do not matter.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g)) {
    const level = open.at(-1)
    if (token === '{') open.push({ keys: new Set(), key: undefined, last: undefined })
    else if (token === '[') open.push({ keys: undefined, key: undefined, last: undefined })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':' && level?.keys && level.last !== undefined) {
      level.key = JSON.parse(level.last) as string // a token that begins with a quote is a string
      if (level.keys.has(level.key)) found.push(open.flatMap(({ key }) => key ?? []).join('.'))
      level.keys.add(level.key)
    } else if (token !== ',' && level) level.last = token
  }
  return found
}

type Level = { keys: Set<string> | undefined; key: string | undefined; last: string | undefined }
