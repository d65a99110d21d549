import { z } from 'zod'
import { transact } from '../../platform/db/transact.ts'
import type { Forge } from '../../platform/forge/forge.ts'
import type { ForgeItem } from '../../platform/forge/item.ts'
import type { App } from '../app.ts'
import { type FireResult, hasFired } from '../fires/fire.ts'
import { readCursors, writeCursor } from '../triggers/trigger.ts'
import { fireLabel, type LabelCondition } from './fire-label.ts'
import { includesName } from './forge-item.ts'

/** What a condition has seen: the labels that stood on open items, and the scope in which it looked. */
const Seen = z.object({
  armedAt: z.string(),
  scope: z.object({ repos: z.array(z.string()), labels: z.array(z.string()), target: z.string() }),
  /** `owner/repo#number:label`, and the number of polls in a row that did not find it. */
  items: z.record(z.string(), z.int()),
  /** By the same key: the item's last change when the label was last asked about. */
  changes: z.record(z.string(), z.iso.datetime()).default({}),
})
type Seen = z.infer<typeof Seen>

/** The search index is late: a label counts as removed when this many polls in a row do not find it. */
const missingPolls = 3
/** Items that have changed and are asked about in one poll; the others wait for the next one. */
const maxAsked = 20
const cursorName = 'labels'

/**
 * Fires for labels that were not there at the last poll. What is there when a scope is added to the condition is its baseline.
 * A label that is still there may have been removed and added again, or its item closed and reopened: an item that has changed
 * since it was last asked about is asked about again.
 */
export async function pollLabels(app: App, forge: Forge, condition: LabelCondition): Promise<void> {
  const { repos, labels, target } = condition.configuration
  const found = await forge.search({ kind: target, repos, labels, isOpen: true })
  const present = new Map(found.flatMap((item) => labelled(item, labels)))
  const stored = Seen.safeParse((await readCursors(app.db, condition.id, [cursorName])).get(cursorName))
  const before = stored.success ? stored.data : undefined
  const seen = nextSeen(before, condition, present)
  const write = () => transact(app.db, (tx) => writeCursor(tx, condition.id, cursorName, seen))
  const keep = (key: string, { item }: Labelled): void => {
    seen.items[key] = 0
    seen.changes[key] = item.updatedAt.toISOString()
  }
  /** Undefined when the label is no longer on the item, or came to stand on it before `since`. */
  const fire = async ({ item, label }: Labelled, since?: Date): Promise<FireResult | undefined> => {
    const labelling = await forge.labelledBy(item.repo, item.number, label)
    if (!labelling || (since && labelling.at <= since)) return undefined
    return fireLabel(app, condition, { item, label, labelling })
  }
  const changed = changedSince(seen, present)
  for (const [key, each] of present) {
    if (seen.items[key] !== undefined) continue
    if (isBaseline(before, seen, each)) {
      keep(key, each)
      continue
    }
    const result = await fire(each)
    if (!result || !hasFired(result)) continue
    keep(key, each)
    // At once: a crash before the end of the poll would ask the forge about all of them again.
    await write()
  }
  for (const { key, since, each } of changed.slice(0, maxAsked)) {
    const result = await fire(each, since)
    if (result && !hasFired(result)) continue
    keep(key, each)
    await write()
  }
  await write()
}

type Labelled = { item: ForgeItem; label: string }
type Present = ReadonlyMap<string, Labelled>

/** The cursor without what this poll finds. */
function nextSeen(before: Seen | undefined, condition: LabelCondition, present: Present): Seen {
  const { repos, labels, target } = condition.configuration
  const armedAt = condition.armed_at.toISOString()
  const items = before?.scope.target === target ? stillSeen(before.items, present) : {}
  // A condition that was off does not make up for what happened meanwhile.
  const known = isArmedAgain(before, armedAt, { repos, labels, target }) ? {} : (before?.changes ?? {})
  const changes = Object.keys(items).flatMap((key) => {
    const change = known[key] ?? present.get(key)?.item.updatedAt.toISOString()
    return change === undefined ? [] : [[key, change]]
  })
  return { armedAt, scope: { repos, labels, target }, items, changes: Object.fromEntries(changes) }
}

/** The labels of items that have changed since they were last asked about, longest ago first. */
function changedSince({ changes }: Seen, present: Present): { key: string; since: Date; each: Labelled }[] {
  return [...present]
    .flatMap(([key, each]) => {
      const since = changes[key] === undefined ? undefined : new Date(changes[key])
      return since && each.item.updatedAt > since ? [{ key, since, each }] : []
    })
    .toSorted((one, other) => one.since.getTime() - other.since.getTime())
}

function labelled(item: ForgeItem, watched: readonly string[]): [string, Labelled][] {
  const labels = item.labels.filter((label) => includesName(watched, label))
  return labels.map((label) => [`${item.repo}#${item.number}:${label}`.toLowerCase(), { item, label }])
}

function stillSeen(items: Seen['items'], present: ReadonlyMap<string, unknown>): Seen['items'] {
  const next = Object.entries(items).map(([key, missing]): [string, number] => [
    key,
    present.has(key) ? 0 : missing + 1,
  ])
  return Object.fromEntries(next.filter(([, missing]) => missing < missingPolls))
}

/** The first poll, one after the trigger was enabled again, and what an edit of the scope brought in. */
function isBaseline(before: Seen | undefined, { armedAt, scope }: Seen, { item, label }: Labelled): boolean {
  if (!before || before.scope.target !== scope.target || isArmedAgain(before, armedAt, scope)) return true
  return !includesName(before.scope.repos, item.repo) || !includesName(before.scope.labels, label)
}

/** An edit of the scope arms the condition as well, but what stays in the scope goes on. */
function isArmedAgain(before: Seen | undefined, armedAt: string, scope: Seen['scope']): boolean {
  return before?.armedAt !== armedAt && JSON.stringify(before?.scope) === JSON.stringify(scope)
}
