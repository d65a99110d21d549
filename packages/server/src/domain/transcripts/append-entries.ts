import type { Transaction } from '../../platform/db/database.ts'
import { broadcast } from '../../platform/events/publish.ts'
import { transcriptAppended } from './events.ts'
import { lastSaidIn } from './last-said.ts'
import { insertEntries, type NewEntries, type ThreadKey } from './transcript-store.ts'

/** Stores redacted lines, with what the agent said last. The caller has locked the thread. */
export async function appendEntries(tx: Transaction, key: ThreadKey, entries: NewEntries): Promise<void> {
  const { after, lines } = entries
  await insertEntries(tx, key, { ...entries, said: await lastSaidIn(lines) })
  if (lines.length === 0) return
  const { sessionId, thread } = key
  broadcast(tx, transcriptAppended, {
    sessionId,
    subject: thread,
    payload: { thread, from: after + 1, to: after + lines.length },
    merge: (earlier, later) => ({
      ...later,
      from: Math.min(earlier.from, later.from),
      to: Math.max(earlier.to, later.to),
    }),
  })
}
