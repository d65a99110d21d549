import { setImmediate as nextTick } from 'node:timers/promises'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { EntryPage, EntryPart, EntryQuery } from '@yardmaster/contract/transcripts/entry-fields'
import type { Database } from '../../platform/db/database.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import { mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { findSession } from '../sessions/session.ts'
import { contentOf } from './entry-content.ts'
import { type EntryRow, lastSequence, selectEntries, selectStartedSubagents, selectTurnSpans } from './entry-store.ts'
import { type Links, presentEntry, presentWholePart, type ReadEntry } from './present-entry.ts'
import { findProgress, type ThreadKey } from './transcript-store.ts'

/** A page of a thread. Reads the rows of the page and no others. */
export async function showEntries(app: App, ref: SessionRef, query: EntryQuery): Promise<EntryPage> {
  const { key, readable, total } = await findThread(app, ref, query.thread)
  const entries = await readLines(await selectPage(app.db, key, query), readable)
  const links = await findLinks(app.db, key.sessionId, entries)
  const last = entries.at(-1)?.sequence ?? null
  return {
    entries: entries.map((entry) => presentEntry(entry, links)),
    first: entries[0]?.sequence ?? null,
    last,
    // The thread may have grown since it was counted.
    total: Math.max(total, last ?? 0),
  }
}

export async function showPart(
  app: App,
  ref: SessionRef,
  { thread, sequence, n }: { thread: string; sequence: number; n: number },
): Promise<EntryPart> {
  const { key, readable } = await findThread(app, ref, thread)
  const rows = await selectEntries(app.db, key, { after: Math.min(sequence, lastSequence) - 1, limit: 1 })
  const entries = await readLines(
    rows.filter((row) => row.sequence === sequence),
    readable,
  )
  const part = entries[0]?.content.parts[n] ?? refuseMissing()
  return presentWholePart(part, await findLinks(app.db, key.sessionId, entries))
}

type Found = { key: ThreadKey; readable: Runtime['readable']; total: number }

/** A session that has said nothing yet has an empty main thread. Refuses every other thread without entries. */
async function findThread(app: App, ref: SessionRef, thread: string): Promise<Found> {
  const { id: sessionId, agent_runtime: runtime } = await findSession(app.db, ref)
  const key = { sessionId, thread }
  const { entry_count: total } = await findProgress(app.db, key)
  if (total === 0 && thread !== mainThread) refuseMissing()
  return { key, readable: app.runtimes.find(runtime)?.readable, total }
}

async function selectPage(
  db: Database,
  key: ThreadKey,
  { before, after, around, limit }: EntryQuery,
): Promise<EntryRow[]> {
  if (after !== undefined) return selectEntries(db, key, { after, limit })
  if (around === undefined) return selectEntries(db, key, { before: before ?? lastSequence, limit })
  const [earlier, later] = await Promise.all([
    selectEntries(db, key, { before: around, limit: Math.floor(limit / 2) }),
    selectEntries(db, key, { after: around - 1, limit: Math.ceil(limit / 2) }),
  ])
  return [...earlier, ...later]
}

/** Characters after which other requests get their turn: parsing them takes about a millisecond. */
const sliceLength = 256 * 1024

async function readLines(rows: readonly EntryRow[], readable: Runtime['readable']): Promise<ReadEntry[]> {
  const entries: ReadEntry[] = []
  let length = 0
  for (const { line, sequence, created_at } of rows) {
    entries.push({ sequence, storedAt: created_at, content: contentOf(line, readable) })
    length += line.length
    if (length < sliceLength) continue
    length = 0
    await nextTick()
  }
  return entries
}

async function findLinks(db: Database, sessionId: number, entries: readonly ReadEntry[]): Promise<Links> {
  const calls = entries.flatMap(({ content }) => content.parts.filter(({ type }) => type === 'tool_call'))
  const ids = [...new Set(calls.flatMap(({ tool_use_id }) => tool_use_id ?? []))]
  const [first, last] = [entries[0], entries.at(-1)]
  const [turns, subagents] = await Promise.all([
    first && last ? selectTurnSpans(db, sessionId, { from: first.storedAt, to: last.storedAt }) : [],
    selectStartedSubagents(db, sessionId, ids),
  ])
  return {
    turns,
    toolNames: new Map(calls.map(({ tool_use_id, tool_name }) => [tool_use_id, tool_name])),
    subagents: new Map(subagents.map((subagent) => [subagent.tool_use_id, subagent])),
  }
}
