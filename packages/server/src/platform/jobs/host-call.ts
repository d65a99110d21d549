import { setTimeout as wait } from 'node:timers/promises'
import { type RefusalKind, refusals } from '@yardmaster/contract/problem'
import type { Database, Transaction } from '../db/database.ts'
import { isOutage } from '../db/outage.ts'
import { afterCommit, transact } from '../db/transact.ts'
import type { Signals } from '../events/signals.ts'
import type { Log } from '../log/log.ts'
import { Refusal, refuse } from '../refusal.ts'
import { unavailable } from '../unavailable.ts'
import { enqueue } from './enqueue.ts'
import { insertCall, type StoredOutcome, selectCall, storeOutcome, takeCall } from './host-call-store.ts'
import type { Job } from './job.ts'

/**
 * A request that only the host with the files can serve, asked on any host: a job bound to that host does the work and
 * stores the outcome in a row, and the caller waits for the row.
 */

export type CallContext = { db: Database; signals: Signals; log: Log }

type Call<Payload> = {
  job: Job<Payload & { callId: string }>
  payload: Payload
  /** Undefined: any worker. */
  hostId: string | undefined
  /** Asked while the caller waits: a host that died meanwhile answers nothing. */
  isAlive(): Promise<boolean>
}

const topic = 'host_calls'
/** The answer is announced; this only catches an announcement that was lost. */
const checkEveryMs = 1000
const timeoutMs = 600_000

/** The answer of the other host, or the refusal it gave. */
export async function callHost<Payload>(context: CallContext, call: Call<Payload>): Promise<unknown> {
  const { db, signals } = context
  const { job, payload, hostId } = call
  const id = await transact(db, async (tx) => {
    const callId = await insertCall(tx)
    await enqueue(tx, job, { ...payload, callId }, hostId === undefined ? {} : { hostId })
    return callId
  })
  let wake: () => void = () => undefined
  const stopListening = signals.listen(topic, () => wake())
  try {
    const deadline = performance.now() + timeoutMs
    while (performance.now() < deadline) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      if ((await selectCall(db, id))?.outcome) break
      if (!(await call.isAlive())) break
      await Promise.race([woken, wait(checkEveryMs)])
    }
  } finally {
    stopListening()
  }
  return read(await takeCall(db, id))
}

function read(outcome: StoredOutcome | null): unknown {
  switch (outcome?.kind) {
    case 'answered':
      return outcome.answer
    case 'refused':
      throw new Refusal(knownKind(outcome.refusal), outcome.messages, outcome.beside)
    case 'failed':
      throw new Error('the host that holds the files failed to serve a request; its log has the reason')
    default:
      return refuse('unavailable', 'The host that holds the files of this session did not answer; try again later', {
        retry_after: 10,
      })
  }
}

/** Another version of us may refuse by a kind that this one does not know. */
function knownKind(kind: string): RefusalKind {
  return Object.hasOwn(refusals, kind) ? (kind as RefusalKind) : 'fault' // hasOwn does not narrow
}

export type Settle<Answer> = (tx: Transaction, answer: Answer) => Promise<void>

/**
 * Serves a call on the host it was sent to. `work` may settle the call inside its own transaction, so that its effect and
 * the answer commit together; otherwise its result is stored. A call whose caller gave up is not served.
 */
export async function serveCall<Answer>(
  { db, signals, log }: CallContext,
  callId: string,
  work: (settle: Settle<Answer>) => Promise<Answer>,
): Promise<void> {
  const call = await selectCall(db, callId)
  if (!call || call.outcome) return
  const announce = (): void => void signals.announce(topic).catch(() => undefined)
  try {
    const answer = await work(async (tx, settled) => {
      if (!(await storeOutcome(tx, callId, { kind: 'answered', answer: settled }))) throw new CallerGone()
      afterCommit(tx, announce)
    })
    await storeOutcome(db, callId, { kind: 'answered', answer })
  } catch (error) {
    if (error instanceof CallerGone) return
    if (isOutage(error)) throw error
    const refusal = error instanceof Refusal ? error : unavailable(error)
    if (!refusal) log.error({ err: error, callId }, 'a request of another host failed')
    await storeOutcome(db, callId, refusal ? outcomeOf(refusal) : { kind: 'failed' })
  }
  announce()
}

function outcomeOf({ kind, messages, beside }: Refusal): StoredOutcome {
  return { kind: 'refused', refusal: kind, messages, beside }
}

/** Rolls the work back: the caller was told that the host did not answer. */
class CallerGone extends Error {
  override readonly name = 'CallerGone'
}
