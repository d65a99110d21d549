import { z } from 'zod'
import { transact } from '../../platform/db/transact.ts'
import type { Forge } from '../../platform/forge/forge.ts'
import type { ForgeItem } from '../../platform/forge/item.ts'
import { unlessRefused } from '../../platform/remote-failed.ts'
import type { App } from '../app.ts'
import { hasFired } from '../fires/fire.ts'
import { readCursors, writeCursor } from '../triggers/trigger.ts'
import { fireIssue, type IssueCondition } from './fire-issue.ts'
import { isSameName } from './forge-item.ts'
import { isSince } from './receive-forge-event.ts'

const Cursor = z.object({
  armedAt: z.string(),
  configuration: z.string(),
  /** Since when issues of each repository fire the condition. */
  baselines: z.record(z.string(), z.iso.datetime()),
  /** When the newest issue that fired was opened. */
  lastIssueAt: z.iso.datetime(),
  /** `owner/repo#number` of issues that need no further look, and when they were opened. */
  done: z.record(z.string(), z.iso.datetime()),
  /** When the repositories were last listed without the search index. */
  reconciledAt: z.iso.datetime(),
})
type Cursor = z.infer<typeof Cursor>

/** The search index is late and unordered. */
const overlapMs = 30 * 60_000
/** A plain listing finds what the index did not know for longer than that. */
const reconcileMs = 24 * 3600_000
const cursorName = 'issues'

/** Fires for issues that were opened since their repository joined the condition's scope. */
export async function pollIssues(app: App, forge: Forge, condition: IssueCondition): Promise<void> {
  const stored = Cursor.safeParse((await readCursors(app.db, condition.id, [cursorName])).get(cursorName))
  const now = app.clock.now()
  const cursor = nextCursor(stored.success ? stored.data : undefined, condition)
  const write = () => transact(app.db, (tx) => writeCursor(tx, condition.id, cursorName, cursor))
  const since = new Date(Date.parse(cursor.lastIssueAt) - overlapMs)
  const { repos } = condition.configuration
  const found = await forge.search({ kind: 'issue', repos, createdSince: since })
  const isDue = now.getTime() - Date.parse(cursor.reconciledAt) >= reconcileMs
  const listed = isDue ? await listAll(forge, repos, new Date(Date.parse(cursor.reconciledAt) - overlapMs)) : []
  for (const item of inOrder([...found, ...listed])) {
    const key = keyOf(item)
    const baseline = Object.entries(cursor.baselines).find(([repo]) => isSameName(repo, item.repo))?.[1]
    if (cursor.done[key] !== undefined || baseline === undefined || !isSince(item.createdAt, new Date(baseline)))
      continue
    const result = await fireIssue(app, condition, item)
    const isDone = result.outcome === 'own' || (isFireResult(result) && hasFired(result))
    if (!isDone) continue
    cursor.done[key] = item.createdAt.toISOString()
    if (item.createdAt.toISOString() > cursor.lastIssueAt) cursor.lastIssueAt = item.createdAt.toISOString()
    await write()
  }
  if (isDue) cursor.reconciledAt = now.toISOString()
  const oldest = new Date(Math.min(Date.parse(cursor.lastIssueAt), Date.parse(cursor.reconciledAt)) - 2 * overlapMs)
  cursor.done = Object.fromEntries(Object.entries(cursor.done).filter(([, at]) => new Date(at) >= oldest))
  await write()
}

function isFireResult(
  result: Awaited<ReturnType<typeof fireIssue>>,
): result is Parameters<typeof hasFired>[0] & typeof result {
  return result.outcome !== 'excluded' && result.outcome !== 'own' && result.outcome !== 'undecided'
}

/**
 * A repository that joins the scope starts at the edit; the others go on. A condition that was armed again without an edit
 * was disabled meanwhile and gets a new baseline.
 */
function nextCursor(before: Cursor | undefined, condition: IssueCondition): Cursor {
  const armedAt = condition.armed_at.toISOString()
  const configuration = JSON.stringify(condition.configuration)
  const { repos } = condition.configuration
  const goesOn = before && (before.armedAt === armedAt || before.configuration !== configuration) ? before : undefined
  const known = (repo: string): string | undefined =>
    Object.entries(goesOn?.baselines ?? {}).find(([each]) => isSameName(each, repo))?.[1]
  return {
    armedAt,
    configuration,
    baselines: Object.fromEntries(repos.map((repo) => [repo, known(repo) ?? armedAt])),
    lastIssueAt: goesOn?.lastIssueAt ?? armedAt,
    done: goesOn ? { ...goesOn.done } : {},
    reconciledAt: goesOn?.reconciledAt ?? armedAt,
  }
}

async function listAll(forge: Forge, repos: readonly string[], since: Date): Promise<ForgeItem[]> {
  const lists: ForgeItem[][] = []
  // A repository that is gone or closed to us does not keep the others from being listed.
  for (const repo of repos) lists.push(await unlessRefused(forge.issuesSince(repo, since), []))
  return lists.flat()
}

function inOrder(items: readonly ForgeItem[]): ForgeItem[] {
  const unique = new Map(items.map((item) => [keyOf(item), item]))
  return [...unique.values()].toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
}

function keyOf({ repo, number }: ForgeItem): string {
  return `${repo.toLowerCase()}#${number}`
}
