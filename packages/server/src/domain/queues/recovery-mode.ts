import { setTimeout as wait } from 'node:timers/promises'
import type { RecoveryMode } from '@yardmaster/contract/health/queue-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Database } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { findPausedQueues } from '../../platform/jobs/pauses.ts'
import { haltedQueues, liveQueues } from '../../platform/jobs/queues.ts'
import { deleteRecovery, type Recovery, selectRecovery, upsertRecovery } from '../../platform/jobs/recovery-store.ts'
import { pauseBindsAfterMs } from '../../platform/jobs/watch-pauses.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { recoveryModeChanged } from './events.ts'

export async function showRecoveryMode(app: Pick<App, 'hasPauses'>, db: Database): Promise<RecoveryMode> {
  const recovery = app.hasPauses ? await selectRecovery(db) : undefined
  const paused = app.hasPauses ? await findPausedQueues(db) : new Set<string>()
  return {
    active: recovery !== undefined,
    entered_at: recovery ? formatTimestamp(recovery.entered_at) : null,
    expires_at: recovery ? formatTimestamp(recovery.expires_at) : null,
    expires_in_seconds: recovery?.expires_in_seconds ?? null,
    reason: recovery?.reason ?? null,
    entered_by: recovery?.entered_by ?? null,
    halted_queues: [...haltedQueues],
    paused_queues: [...paused].toSorted(),
    live_queues: [...liveQueues],
  }
}

type Entry = { ttlMinutes: number; reason: string | undefined; by: string }

/** Returns when no host starts a job of the halted queues any more. Extending it needs no such wait. */
export async function enterRecoveryMode(app: App, entry: Entry): Promise<RecoveryMode> {
  if (!app.hasPauses)
    refuse('recovery_mode_unavailable', 'Pauses of queues are switched off on this server (QUEUE_PAUSES=off)')
  // The page that shows it needs no key.
  const reason = entry.reason && (await app.redactor.text(entry.reason))
  const recovery = await transact(app.db, async (tx) => {
    const stored = await upsertRecovery(tx, { ...entry, reason })
    await app.events.publish(tx, recoveryModeChanged, { payload: { change: stored.is_new ? 'entered' : 'extended' } })
    return stored
  })
  app.log.warn(about(recovery), 'queue recovery mode is on: only turns and pushes run')
  await wait(Math.max(pauseBindsAfterMs - recovery.active_ms, 0))
  return showRecoveryMode(app, app.db)
}

/** Safe to repeat. Queues that a person paused by hand stay paused. */
export async function exitRecoveryMode(app: App): Promise<RecoveryMode> {
  await end(app, 'exited')
  return showRecoveryMode(app, app.db)
}

/** The queues resume by themselves; this only says so. */
export async function noteExpiredRecoveryMode(app: App): Promise<void> {
  await end(app, 'expired')
}

const sentences = { exited: 'queue recovery mode is off', expired: 'queue recovery mode has expired' }

async function end(app: App, change: keyof typeof sentences): Promise<void> {
  const ended = await transact(app.db, async (tx) => {
    const recovery = await deleteRecovery(tx, { onlyExpired: change === 'expired' })
    if (recovery) await app.events.publish(tx, recoveryModeChanged, { payload: { change } })
    return recovery
  })
  if (ended) app.log.warn(about(ended), sentences[change])
}

function about({ entered_at, expires_at, reason, entered_by }: Recovery) {
  return { enteredAt: entered_at, expiresAt: expires_at, reason, enteredBy: entered_by }
}
