import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Turn } from '@yardmaster/contract/inbox/turn-fields'
import type { Page } from '@yardmaster/contract/paging'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { mainThread } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { dollarsOfSpans } from '../costs/cost.ts'
import { findSession } from '../sessions/session.ts'
import { findFirstEntries } from '../transcripts/transcript.ts'
import { type ListedTurn, selectTurnPage } from './turn-page-store.ts'

/** The turns of a session with what they cost and where they begin in its transcript. */
export async function listTurns(app: App, ref: SessionRef, page: Page): Promise<{ items: Turn[]; totalCount: number }> {
  const { id } = await findSession(app.db, ref)
  const { rows, totalCount } = await selectTurnPage(app.db, id, page)
  const begun = rows.filter(hasBegun)
  const [dollars, firstEntries] = await Promise.all([
    dollarsOfSpans(
      app,
      id,
      begun.map(({ dispatched_at, next_dispatched_at }) => ({ from: dispatched_at, to: next_dispatched_at })),
    ),
    findFirstEntries(
      app.db,
      { sessionId: id, thread: mainThread },
      begun.map(({ dispatched_at, ended_at }) => ({ from: dispatched_at, to: ended_at })),
    ),
  ])
  const work = new Map(begun.map(({ number }, index) => [number, { cost: dollars[index], entry: firstEntries[index] }]))
  const items = rows.map((row) =>
    presentTurn(row, work.get(row.number)?.cost ?? 0, work.get(row.number)?.entry ?? null),
  )
  return { items, totalCount }
}

function hasBegun(turn: ListedTurn): turn is ListedTurn & { dispatched_at: Date } {
  return turn.dispatched_at !== null
}

function presentTurn(
  { author_key, author_name, dispatched_at: _, next_dispatched_at: __, ...turn }: ListedTurn,
  cost: number,
  firstEntry: number | null,
): Turn {
  return {
    ...turn,
    author: author_key === null ? null : { key: author_key, display_name: author_name ?? author_key },
    first_entry: firstEntry,
    cost_usd: cost,
    created_at: formatTimestamp(turn.created_at),
    started_at: turn.started_at && formatTimestamp(turn.started_at),
    ended_at: turn.ended_at && formatTimestamp(turn.ended_at),
  }
}
