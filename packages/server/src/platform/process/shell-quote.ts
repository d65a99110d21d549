/**
 * `text` as one word of a POSIX shell. A word of harmless characters stays as it is, for readability. `=` is not among
 * them: at the start of a command an unquoted `A=b` is an assignment.
 */
export function shellQuote(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
