/**
 * The items whose text contains the letters of the query in order, best first: a whole phrase before a word's beginning
 * before scattered letters. Items that match equally well keep their order.
 */
export function rankMatches<Item>(
  items: readonly Item[],
  query: string,
  textOf: (item: Item) => string,
): readonly Item[] {
  const wanted = query.toLowerCase()
  if (wanted === '') return items
  return items
    .map((item) => ({ item, score: scoreOf(textOf(item).toLowerCase(), wanted) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ item }) => item)
}

function scoreOf(text: string, wanted: string): number {
  const at = text.indexOf(wanted)
  if (at === 0) return 5
  if (at > 0) return /\W/.test(text[at - 1] ?? '') ? 4 : 3
  const initials = text
    .split(/\W+/)
    .map(([first]) => first)
    .join('')
  if (initials.startsWith(wanted)) return 2
  let next = 0
  for (const letter of text) if (letter === wanted[next]) next += 1
  return next === wanted.length ? 1 : 0
}
