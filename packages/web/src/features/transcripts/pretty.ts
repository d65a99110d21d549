const tokens = /"(?:[^"\\]|\\.)*"|\s+|[[{]\s*[\]}]|[[{}\],:]/g
/** A text of brackets only must not become a page of blanks. */
const maxDepth = 40

/** JSON on one line is what machines write. Its numbers and keys stay as they are: as values, some would change or be lost. */
export function pretty(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  let depth = 0
  const line = () => `\n${'  '.repeat(Math.min(depth, maxDepth))}`
  try {
    JSON.parse(text)
    return text.replace(tokens, (token) => {
      const last = token.at(-1) ?? ''
      if (token.startsWith('"')) return JSON.stringify(JSON.parse(token))
      if (/\s/.test(last)) return ''
      if (last === ':') return ': '
      if (last === ',') return `,${line()}`
      if (token.length > 1) return `${token[0]}${last}`
      const opens = '[{'.includes(last)
      depth += opens ? 1 : -1
      return opens ? `${last}${line()}` : `${line()}${last}`
    })
  } catch {
    return text
  }
}
