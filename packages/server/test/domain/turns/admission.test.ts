import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { claimTurn } from '../../../src/domain/inbox/lease-store.ts'
import { insertTurn } from '../../../src/domain/inbox/turn-store.ts'
import { admit } from '../../../src/domain/turns/admit.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { sampleRepository, type TestApp, testApp } from '../../support/app/app.ts'
import { atRest } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
/** Without the admission that a worker repeats every few seconds, which would come between two steps of a test. */
const quiet = testApp({ environment: { ROLE: 'web' } })

test('a turn whose admit_turns or run_turn job was lost still runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-admission-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const git_root = await sampleRepository(join(folder, 'repository'))
  const queued = await lostTurn(app, git_root, { state: 'queued' })
  const dispatched = await lostTurn(app, git_root, {
    state: 'dispatched',
    dispatched_at: new Date(Date.now() - 60_000),
  })
  for (const { sessionId } of [queued, dispatched]) expect((await atRest(app, sessionId)).status).toBe('needs_input')
})

test.each(['queued', 'dispatched'] as const)(
  'admission ignores a session that is deleted while its %s turn is being dispatched',
  async (state) => {
    const { sessionId } = await lostTurn(quiet, '/any/repository', {
      state,
      ...(state === 'dispatched' && { dispatched_at: new Date(Date.now() - 60_000) }),
    })
    const deletion = await quiet.pool.connect()
    try {
      await deletion.query('begin')
      await deletion.query('delete from sessions where id = $1', [sessionId])
      const admitted = admit(quiet.host.app)
      await eventually(
        async () =>
          (
            await quiet.pool.query(
              "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%\"sessions\"%'",
            )
          ).rows,
        ({ length }) => length > 0,
      )
      await deletion.query('commit')
      await admitted
    } finally {
      deletion.release()
    }
  },
)

test('a session whose row is locked does not hold up the turns of other sessions', async () => {
  const locked = await lostTurn(quiet, '/any/repository', { state: 'queued' })
  const other = await lostTurn(quiet, '/any/repository', { state: 'queued' })
  const request = await quiet.pool.connect()
  try {
    await request.query('begin')
    await request.query('select from sessions where id = $1 for update', [locked.sessionId])
    // Returns while the row is locked: otherwise turns that arrive meanwhile would wait for it.
    await admit(quiet.host.app)
    expect(await stateOf(other.turnId)).not.toBe('queued')
    expect(await stateOf(locked.turnId)).toBe('queued')
    await request.query('commit')
  } finally {
    request.release()
  }
  await admit(quiet.host.app)
  expect(await stateOf(locked.turnId)).not.toBe('queued')
})

async function stateOf(turnId: string): Promise<string> {
  return (await quiet.pool.query('select state from turns where id = $1', [turnId])).rows[0]?.state
}

test('only the run that claimed a turn can claim it again, for the case that the answer to its commit was lost', async () => {
  const { turnId } = await lostTurn(quiet, '/any/repository', { state: 'dispatched', dispatched_at: new Date() })
  const claim = (owner: string, marker: string) =>
    transact(quiet.host.app.db, (tx) => claimTurn(tx, { turnId, owner, marker }, Buffer.from(marker)))
  expect(await claim('this-host', 'run-1')).toMatchObject({ id: turnId, lease_owner: 'this-host' })
  expect(await claim('this-host', 'run-1')).toMatchObject({ id: turnId, lease_owner: 'this-host' })
  expect(await claim('other-host', 'run-2')).toBeUndefined()
  expect(await claim('this-host', 'run-3')).toBeUndefined()
})

/** A turn row without the job that would run it. */
async function lostTurn(
  { post, host }: Pick<TestApp, 'post' | 'host'>,
  git_root: string,
  values: { state: 'queued' | 'dispatched'; dispatched_at?: Date },
): Promise<{ sessionId: number; turnId: string }> {
  const { body } = await post('/sessions', { git_root, agent_runtime: 'demo' })
  const sessionId = body.session.id
  const turnId = await transact(host.app.db, async (tx) => {
    const id = await insertTurn(tx, { sessionId, source: 'create', prompt: 'say hi', goal: null })
    await tx.updateTable('turns').set(values).where('id', '=', id).execute()
    return id
  })
  return { sessionId, turnId }
}
