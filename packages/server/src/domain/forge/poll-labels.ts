import { z } from 'zod'
import { transact } from '../../platform/db/transact.ts'
import type { Forge } from '../../platform/forge/forge.ts'
import type { ForgeItem } from '../../platform/forge/item.ts'
import type { App } from '../app.ts'
import { hasFired } from '../fires/fire.ts'
import { readCursors, writeCursor } from '../triggers/trigger.ts'
import { fireLabel, type LabelCondition } from './fire-label.ts'
import { includesName } from './forge-item.ts'

/** What a condition has seen: the labels that stood on open items, and the scope in which it looked. */
const Seen = z.object({
  armedAt: z.string(),
  scope: z.object({ repos: z.array(z.string()), labels: z.array(z.string()), target: z.string() }),
  /** `owner/repo#number:label`, and the number of polls in a row that did not find it. */
  items: z.record(z.string(), z.int()),
})
type Seen = z.infer<typeof Seen>

/** The search index is late: a label counts as removed when this many polls in a row do not find it. */
const missingPolls = 3
const cursorName = 'labels'

/** Fires for labels that were not there at the last poll. What is there when a scope is added to the condition is its baseline. */
export async function pollLabels(app: App, forge: Forge, condition: LabelCondition): Promise<void> {
  const { repos, labels, target } = condition.configuration
  const found = await forge.search({ kind: target, repos, labels, isOpen: true })
  const present = new Map(found.flatMap((item) => labelled(item, labels)))
  const stored = Seen.safeParse((await readCursors(app.db, condition.id)).get(cursorName))
  const before = stored.success ? stored.data : undefined
  const seen: Seen = {
    armedAt: condition.armed_at.toISOString(),
    scope: { repos, labels, target },
    items: before && before.scope.target === target ? stillSeen(before.items, present) : {},
  }
  const write = () => transact(app.db, (tx) => writeCursor(tx, condition.id, cursorName, seen))
  for (const [key, { item, label }] of present) {
    if (seen.items[key] !== undefined) continue
    if (isBaseline(before, seen, item, label)) {
      seen.items[key] = 0
      continue
    }
    const result = await fireLabel(app, forge, condition, { item, label })
    if (!result || !hasFired(result)) continue
    seen.items[key] = 0
    // At once: a crash before the end of the poll would ask the forge about all of them again.
    await write()
  }
  await write()
}

function labelled(item: ForgeItem, watched: readonly string[]): [string, { item: ForgeItem; label: string }][] {
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
function isBaseline(before: Seen | undefined, now: Seen, item: ForgeItem, label: string): boolean {
  if (!before || before.scope.target !== now.scope.target) return true
  const isSameScope = JSON.stringify(before.scope) === JSON.stringify(now.scope)
  if (isSameScope) return before.armedAt !== now.armedAt
  return !includesName(before.scope.repos, item.repo) || !includesName(before.scope.labels, label)
}
