import type { Entries, Found } from './find-entries.ts'
import { qualifiedId } from './find-entries.ts'
import { type Kind, kinds } from './kinds.ts'
import { type Reading, sentenceAbout } from './reading.ts'

/** Who is meant by a name, and what everybody is called. */
export type Names = {
  of<K extends Kind>(kind: K): Found<K>[]
  /** What a reference in an entry means; undefined, with a problem unless it was excluded, when it means nothing. */
  refer<K extends Kind>(kind: K, given: string, from: { found: Found; key: string }): Found<K> | undefined
  identify(found: Found): { name: string; qualifiedName: string; plainName: string }
}

export function nameEverything(reading: Reading, { found, excluded }: Entries): Names {
  // Where entries could not be read, what refers to them is not to blame.
  const isWhole = reading.problems.length === 0
  const byId = new Map<string, Found[]>()
  for (const each of found) {
    const key = `${each.kind} ${each.id}`
    byId.set(key, [...(byId.get(key) ?? []), each])
  }
  const namesakes = (kind: Kind, id: string): Found[] => byId.get(`${kind} ${id}`) ?? []

  const wasExcluded = (kind: Kind, given: string): boolean =>
    [...excluded].some((key) => key === `${kind} ${given}` || (key.startsWith(`${kind} `) && key.endsWith(`/${given}`)))

  const problemWith = (kind: Kind, given: string): string => {
    const scopes = namesakes(kind, given).map(qualifiedId)
    const { word } = kinds[kind]
    if (scopes.length > 1) return `"${given}" may mean ${scopes.join(' or ')}; say which`
    return `"${given.slice(0, 200)}" is no ${word} of the catalog`
  }

  const names: Names = {
    // The list of one kind holds entries of that kind.
    of: (kind) => found.filter((each) => each.kind === kind) as Found<typeof kind>[],
    refer: (kind, given, from) => {
      // It meant the one of its own catalog, and that was dropped: no other takes its place.
      const own = `${kind} ${qualifiedId({ scope: from.found.scope, id: given })}`
      const meant = excluded.has(own) ? undefined : meaningOf(given, from.found.scope, (id) => namesakes(kind, id))
      if (meant === undefined && isWhole && !wasExcluded(kind, given)) {
        reading.problems.push(sentenceAbout(from.found.file, from.key, problemWith(kind, given)))
      }
      return meant as Found<typeof kind> | undefined // looked up among those of the kind
    },
    identify: (each) => {
      const isAlone = namesakes(each.kind, each.id).length === 1
      const qualifiedName = qualifiedId(each)
      return {
        name: isAlone ? each.id : qualifiedName,
        qualifiedName,
        plainName: isAlone ? each.id : `${each.scope}-${each.id}`,
      }
    },
  }
  refuseConfusion(reading, found, names)
  return names
}

/** `@scope/id` means one thing. A bare id means that of its own catalog, else the only one there is. */
function meaningOf(given: string, ownScope: string, namesakes: (id: string) => Found[]): Found | undefined {
  const qualified = /^@([^/]+)\/(.+)$/.exec(given)
  if (qualified) return namesakes(qualified[2] ?? '').find(({ scope }) => scope === qualified[1])
  const all = namesakes(given)
  return all.find(({ scope }) => scope === ownScope) ?? (all.length === 1 ? all[0] : undefined)
}

/** Two things that would be put into one folder, or run under one name. */
function refuseConfusion(reading: Reading, found: readonly Found[], names: Names): void {
  const taken = new Map<string, Found>()
  for (const each of found) {
    const key = `${each.kind} ${names.identify(each).plainName}`
    const other = taken.get(key)
    if (other !== undefined) {
      const text = `${qualifiedId(each)} and ${qualifiedId(other)} would both be called ${names.identify(each).plainName}`
      reading.problems.push(sentenceAbout(each.file, each.id, text))
    }
    taken.set(key, each)
  }
}
