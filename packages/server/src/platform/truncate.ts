/** At most `max` characters, the marker included. Counts code points, so that no surrogate pair is split. */
export function truncate(text: string, max: number, marker = '...'): string {
  if (text.length <= max) return text
  const characters = Array.from(text.slice(0, 2 * max + 2))
  return characters.length <= max ? text : characters.slice(0, max - marker.length).join('') + marker
}

/** At most `max` characters: the start and the end, with the marker between them. */
export function truncateMiddle(text: string, max: number, marker = ' … '): string {
  if (text.length <= max) return text
  const half = Math.floor((max - marker.length) / 2)
  return text.slice(0, half).toWellFormed() + marker + text.slice(-half).toWellFormed()
}
