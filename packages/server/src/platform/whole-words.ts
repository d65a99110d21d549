/**
 * Bounds for text that is redacted later. A truncated secret no longer matches its pattern, so the word that a bound splits
 * is left out.
 */
export function leadingWords(text: string, max: number): string {
  return text.length <= max ? text : withoutLastWord(text.slice(0, max))
}

/** For a text whose end is missing. */
export function withoutLastWord(text: string): string {
  const end = text.slice(-longestSecret)
  const lastBreak = end.search(/[\s"][^\s"]*$/)
  if (lastBreak !== -1) return text.slice(0, text.length - end.length + lastBreak + 1)
  return text.length <= longestSecret ? '' : text.toWellFormed()
}

/** For a text whose start is missing. */
export function withoutFirstWord(text: string): string {
  const firstBreak = text.slice(0, longestSecret).search(/[\s"]/)
  if (firstBreak !== -1) return text.slice(firstBreak)
  return text.length <= longestSecret ? '' : text.toWellFormed()
}

/** In characters. A longer run without a break is data, such as an image in base64. */
const longestSecret = 4096
