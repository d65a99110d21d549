import { transact } from '../../platform/db/transact.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { recordReceipt } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { notify } from '../notifications/notification.ts'
import type { SessionRow } from '../sessions/session.ts'
import { type Collected, collectTranscripts, type TranscriptSource } from '../workspaces/workspace.ts'

type Writer = Omit<TranscriptSource, 'onReceipt'> & {
  /** The sentences about refused files that the session's log already has. */
  noted: Set<string>
}

/**
 * Stores the new lines of a session's agent. A turn, its recovery and a refresh all call this; it is the only way from the
 * agent's files to the database.
 *
 * The line with the prompt is the receipt: an agent writes the prompt to its transcript before it acts on it. That we passed
 * the prompt to the process proves nothing, because the host may die before it records that. The transaction that stores
 * the line also records the receipt of the executing turn, even if a refresh stores it. So a crash at any point leaves both
 * or neither, and recovery sends a prompt again only if no agent has received it. A turn ends only after all its lines are
 * stored, so every line behind the stored part belongs to the executing turn.
 */
export async function storeTranscripts(app: App, { noted, ...source }: Writer): Promise<Collected> {
  const turn = { sessionId: source.session.id, owner: app.home.hostId }
  const collected = await collectTranscripts(app, { ...source, onReceipt: (tx) => recordReceipt(tx, turn) })
  if (collected.suspect > 0) await warnOfSuspectCalls(app, source.session, collected.suspect)
  const unread = collected.refused.map((file) => ({ ...file, sentence: sentenceAbout(file) }))
  const news = unread.filter(({ sentence }) => !noted.has(sentence))
  if (news.length === 0) return collected
  await transact(app.db, async (tx) => {
    if (!(await source.mayStore(tx))) return
    for (const { thread, sentence } of news) {
      await note(app, tx, turn.sessionId, sentence, thread === mainThread ? 'error' : 'warning')
      // An agent that made its transcript unreadable has run, so its prompt is not sent again. Without a process the file is
      // from an earlier turn: preparing the workspace removes it before the process starts.
      if (thread === mainThread) await recordReceipt(tx, { ...turn, needsProcess: true })
    }
  })
  for (const { sentence } of news) noted.add(sentence)
  return collected
}

/** People are told once a day about a session. */
async function warnOfSuspectCalls(app: App, session: Pick<SessionRow, 'id' | 'title'>, count: number): Promise<void> {
  const body = `The agent reported ${count} model ${count === 1 ? 'call' : 'calls'} that cannot have been made. They are not counted: its transcript may be forged.`
  const marker = `suspect calls ${app.clock.now().toISOString().slice(0, 10)}`
  await transact(app.db, async (tx) => {
    if (await notify(app, tx, { session, type: 'custom_message', body, marker }))
      await note(app, tx, session.id, body, 'warning')
  })
}

export function sentenceAbout({ thread, problem }: Collected['refused'][number]): string {
  return `${thread === mainThread ? "The agent's transcript" : "A subagent's transcript"} is not read: ${problem}.`
}
