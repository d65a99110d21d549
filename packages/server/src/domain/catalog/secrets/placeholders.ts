/** `${NAME}`, or `${NAME:-default}` with a default value. */
const placeholder = /\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/g

export type Placeholder = { name: string; isRequired: boolean }

export function placeholdersIn(texts: Iterable<string>): Placeholder[] {
  return [...texts].flatMap((text) =>
    [...text.matchAll(placeholder)].map(([, name = '', fallback]) => ({ name, isRequired: fallback === undefined })),
  )
}

/**
 * Substitutes every placeholder once: a placeholder inside a secret is not expanded. As in a shell, the default also replaces
 * a blank value. A placeholder with neither stays; callers check for missing values first.
 */
export function fillIn(text: string, find: (name: string) => string | undefined): string {
  return text.replace(placeholder, (whole, name: string, fallback: string | undefined) =>
    fallback === undefined ? (find(name) ?? whole) : find(name) || fallback,
  )
}
