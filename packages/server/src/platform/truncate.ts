/** At most `max` characters, the marker included. Counts code points, so that no surrogate pair is split. */
export function truncate(text: string, max: number, marker = '...'): string {
  if (text.length <= max) return text
  const characters = Array.from(text.slice(0, 2 * max + 2))
  return characters.length <= max ? text : characters.slice(0, max - marker.length).join('') + marker
}
