/** What the browser had no room for: it stays until the page is left. */
const unstored = new Map<string, string>()

/** Keeps a text in this browser, or with `sessionStorage` in this tab; an empty one is forgotten. */
export function keep(key: string, text: string, storage = localStorage): void {
  unstored.delete(key)
  try {
    if (text === '') storage.removeItem(key)
    else storage.setItem(key, text)
  } catch {
    unstored.set(key, text)
  }
}

export function kept(key: string, storage = localStorage): string {
  return unstored.get(key) ?? storage.getItem(key) ?? ''
}

export function keysOfKept(): string[] {
  return [...new Set([...Object.keys(localStorage), ...unstored.keys()])]
}
