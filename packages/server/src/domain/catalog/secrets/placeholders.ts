/** `${NAME}`, or `${NAME:-default}` for what may be missing. */
const placeholder = /\$\{([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/g

export type Placeholder = { name: string; isRequired: boolean }

export function placeholdersIn(texts: Iterable<string>): Placeholder[] {
  return [...texts].flatMap((text) =>
    [...text.matchAll(placeholder)].map(([, name = '', fallback]) => ({ name, isRequired: fallback === undefined })),
  )
}

/**
 * The text with every placeholder filled in, once: what a secret holds is never read as a placeholder itself. As in a
 * shell, a default also stands in for a blank value. One that has neither stays; whoever asks looks for those first.
 */
export function fillIn(text: string, find: (name: string) => string | undefined): string {
  return text.replace(placeholder, (whole, name: string, fallback: string | undefined) =>
    fallback === undefined ? (find(name) ?? whole) : find(name) || fallback,
  )
}
