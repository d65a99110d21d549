/** Undefined when the text is not JSON. The engine's own message would quote the text, which may hold a secret. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
