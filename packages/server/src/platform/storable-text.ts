/** Bytes as text that PostgreSQL stores: invalid UTF-8 and NUL become U+FFFD. */
export function storableText(bytes: Buffer): string {
  return withoutNul(bytes.toString('utf8'))
}

/** PostgreSQL rejects NUL in text and in JSON. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}

/** As `withoutNul`, and without halves of surrogate pairs, which PostgreSQL rejects in JSON. */
export function storable(text: string): string {
  return withoutNul(text).toWellFormed()
}

/**
 * A line of JSON without NUL, neither raw nor as the escape `\u0000`, which `jsonb` rejects too. The escape counts only
 * after an even number of backslashes: `\\u0000` is a backslash and five characters.
 */
export function jsonWithoutNul(line: string): string {
  const plain = withoutNul(line)
  return plain.includes('\\u0000') ? plain.replaceAll(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd') : plain
}
