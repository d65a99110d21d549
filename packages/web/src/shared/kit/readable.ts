const colourCode = new RegExp(`${String.fromCharCode(27)}\\[[\\d;:]*m`, 'g')
const directionMark = /[\u202a-\u202e\u2066-\u2069]/g

/**
 * Text of an agent or a tool as a person can judge it. Marks of direction make a text read in another order than it has, such as the command
 * that a question is about, so each is shown by its number. Colour codes of a terminal are left out.
 */
export function readable(text: string): string {
  return text
    .replaceAll(colourCode, '')
    .replaceAll(directionMark, (mark) => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`)
}
