import type { Entries, Found } from './find-entries.ts'
import { qualifiedId } from './find-entries.ts'
import { type Kind, kinds } from './kinds.ts'
import { type Reading, sentenceAbout } from './reading.ts'

/** Resolves references between entries and assigns the names to show. */
export type Names = {
  of<K extends Kind>(kind: K): Found<K>[]
  /** Resolves a reference. Returns undefined if there is no target, and records a problem unless the target was excluded. */
  refer<K extends Kind>(kind: K, given: string, from: { found: Found; key: string }): Found<K> | undefined
  /** Records a problem with a reference. */
  report(text: string, from: { found: Found; key: string }): void
  identify(found: Found): { name: string; qualifiedName: string; plainName: string }
}

export function nameEverything(reading: Reading, { found, excluded }: Entries): Names {
  // After any other problem a missing target may be its consequence, so it is not reported.
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
    if (scopes.length > 1) return `"${given}" may mean ${scopes.join(' or ')}; say which`
    return `"${given.slice(0, 200)}" is not ${kinds[kind].noun} in the catalog`
  }

  const names: Names = {
    // The list of one kind holds entries of that kind.
    of: (kind) => found.filter((each) => each.kind === kind) as Found<typeof kind>[],
    refer: (kind, given, from) => {
      // The target in its own catalog was excluded; do not fall back to another catalog.
      const own = `${kind} ${qualifiedId({ scope: from.found.scope, id: given })}`
      const meant = excluded.has(own) ? undefined : meaningOf(given, from.found.scope, (id) => namesakes(kind, id))
      if (meant === undefined && isWhole && !wasExcluded(kind, given)) {
        reading.problems.push(sentenceAbout(from.found.file, from.key, problemWith(kind, given)))
      }
      return meant as Found<typeof kind> | undefined // found among entries of this kind
    },
    report: (text, from) => void reading.problems.push(sentenceAbout(from.found.file, from.key, text)),
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

/** `@scope/id` is unambiguous. A bare id means the entry of its own catalog, or else the only entry with that id. */
function meaningOf(given: string, ownScope: string, namesakes: (id: string) => Found[]): Found | undefined {
  const qualified = /^@([^/]+)\/(.+)$/.exec(given)
  if (qualified) return namesakes(qualified[2] ?? '').find(({ scope }) => scope === qualified[1])
  const all = namesakes(given)
  return all.find(({ scope }) => scope === ownScope) ?? (all.length === 1 ? all[0] : undefined)
}

/** Finds entries that would share a folder or a server name. */
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
