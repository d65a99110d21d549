import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TurnLost, transactHeld } from '../../../src/domain/inbox/inbox.ts'
import { findSession, recordConversation } from '../../../src/domain/sessions/session.ts'
import type { Claim } from '../../../src/domain/turns/claim.ts'
import { startLeaseRenewal } from '../../../src/domain/turns/lease-renewal.ts'
import { progressRecorder } from '../../../src/domain/turns/progress-recorder.ts'
import { takeOver } from '../../../src/domain/turns/recover.ts'
import type { Database } from '../../../src/platform/db/database.ts'
import { launch } from '../../../src/platform/process/launch.ts'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { type TestApp, testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { entriesOf } from '../../support/sessions/demo-session.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { repository, turns, reaches, settled } = sessionHelpers(app)
/** Without the takeover that a worker repeats every few seconds, which would come between two steps of a test. */
const quiet = testApp({ environment: { ROLE: 'web' } })
/** An executing turn that no task of this process runs. */
async function executingTurn(
  owner: string,
  { on = app, prepare }: { on?: TestApp; prepare?(id: number): Promise<void> } = {},
) {
  const marker = newRunMarker()
  const conversation = { id: randomUUID(), home: join(on.home, `elsewhere-${marker}`), workingDirectory: '/gone' }
  const id = await insertSession(on.pool, {
    status: 'running',
    git_root: repository(),
    session_id: conversation.id,
    host_id: owner,
    metadata: { clone_path: '/gone', working_directory: '/gone', runtime_started: true },
  })
  await prepare?.(id)
  const { rows } = await on.pool.query<{ id: string }>(
    `insert into turns (session_id, sequence, source, prompt, state, lease_owner, lease_expires_at, run_marker)
     values ($1, 1, 'create', 'say hello', 'executing', $2, now() - interval '1 second', $3)
     returning id`,
    [id, owner, marker],
  )
  return { id, conversation, hold: { turnId: rows[0]?.id ?? '', owner, marker } }
}

test('a host that was taken over stores no line of its run and changes no row of the session', async () => {
  const { id, conversation, hold } = await executingTurn('frozen-host')
  const session = await findSession(app.host.app.db, { id })
  const record = progressRecorder(app.host.app, {
    hold,
    session,
    runtime: demoRuntime,
    conversation: () => conversation,
  })
  await takeOver(app.host.app)
  await reaches(id, 'needs_input')
  const before = await entriesOf(app, id)

  await mkdir(join(conversation.home, 'transcripts'), { recursive: true })
  const tail = JSON.stringify({ uuid: randomUUID(), type: 'user', message: { role: 'user', content: 'stale' } })
  const file = `${JSON.stringify({ padding: 'x'.repeat(10_000) })}\n${tail}\n`
  await writeFile(join(conversation.home, 'transcripts', `${conversation.id}.jsonl`), file)
  await record(true)
  expect(await entriesOf(app, id)).toEqual(before)

  const write = transactHeld(app.host.app.db, hold, (tx) => recordConversation(tx, id, 'stale'))
  await expect(write).rejects.toBeInstanceOf(TurnLost)
  expect((await findSession(app.host.app.db, { id })).session_id).not.toBe('stale')
})

test('a takeover waits for a write in the name of the turn, and a later write is refused', async () => {
  const { hold } = await executingTurn('slow-host', { on: quiet })
  let begin = (): void => undefined
  let finish = (): void => undefined
  const began = new Promise<void>((resolve) => {
    begin = resolve
  })
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const writing = transactHeld(quiet.host.app.db, hold, async () => {
    begin()
    await finished
  })
  await began
  await takeOver(quiet.host.app)
  const { rows } = await quiet.pool.query('select lease_owner from turns where id = $1', [hold.turnId])
  expect(rows).toEqual([{ lease_owner: 'slow-host' }])
  finish()
  await writing
  await takeOver(quiet.host.app)
  await expect(transactHeld(quiet.host.app.db, hold, async () => undefined)).rejects.toBeInstanceOf(TurnLost)
})

test('a host that cannot renew a lease stops the agent by itself, even one that ignores SIGTERM', async () => {
  const { id, hold } = await executingTurn('cut-off-host')
  const agent = await launch({
    command: 'sh',
    args: ['-c', "trap '' TERM; while :; do sleep 1; done"],
    cwd: app.home,
    env: { PATH: process.env.PATH ?? '' },
    marker: hold.marker,
    stdin: 'none',
  })
  const unreachable = new Proxy({} as Database, {
    get: () => () => {
      throw new Error('connect ETIMEDOUT')
    },
  })
  const claim = { hold, session: { id }, leaseEndsAt: performance.now() + 7000 } as Claim
  const lease = startLeaseRenewal({ ...app.host.app, control: unreachable }, claim)
  try {
    expect((await agent.exited).signal).toBe('SIGKILL')
    expect([lease.signal.aborted, lease.isEnding(), lease.isLost()]).toEqual([true, true, false])
  } finally {
    lease.stop()
  }
})

test('a turn of this host that no task of it runs is settled by the next check', async () => {
  const { id } = await executingTurn(app.host.app.home.hostId)
  await takeOver(app.host.app)
  await settled(id)
  expect(await turns(id)).toMatchObject([{ outcome: 'completed', source: 'create' }])
})

test('a takeover whose end could not be written is repeated by the next check', async () => {
  const refuseEnd = async (sessionId: number): Promise<void> => {
    await app.pool.query(
      `create function refuse_end() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    )
    await app.pool.query(
      `create trigger refuse_end before update on sessions for each row when (old.id = ${sessionId}) execute function refuse_end()`,
    )
  }
  const { id, hold } = await executingTurn('dead-host', { prepare: refuseEnd })
  await takeOver(app.host.app)
  // The host's own check may have the row: then this one passes over it.
  await eventually(
    () => turns(id),
    ([turn]) => turn?.lease_owner === app.host.app.home.hostId,
  )
  expect(await turns(id)).toMatchObject([{ state: 'executing' }])
  await app.pool.query('drop trigger refuse_end on sessions')
  await takeOver(app.host.app)
  await settled(id)
  expect(await turns(id)).toMatchObject([{ id: hold.turnId, outcome: 'completed' }])
})
