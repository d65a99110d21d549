import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordReceipt, renewLease } from '../../../src/domain/inbox/lease-store.ts'
import { recoveryPromptAfterMove } from '../../../src/domain/lifecycle/recovery-prompt.ts'
import { endTurn } from '../../../src/domain/turns/end-turn.ts'
import { pruneHosts } from '../../../src/domain/turns/prune-hosts.ts'
import { takeOver } from '../../../src/domain/turns/recover.ts'
import { launch } from '../../../src/platform/process/launch.ts'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { entriesOf, findDemo } from '../../support/sessions/demo-session.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp()
const { repository, rested, say, turns, reaches, settled, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects

const entry = (text: string): string =>
  JSON.stringify({ uuid: randomUUID(), type: 'user', message: { role: 'user', content: text } })

type AbandonedTurn = { prompt: string; hasProcess: boolean; leaseSeconds: number }

/** A session with an executing turn on a host that no longer exists. */
async function abandonedTurn({
  prompt,
  hasProcess,
  leaseSeconds,
}: AbandonedTurn): Promise<{ id: number; turnId: string; marker: string }> {
  const marker = newRunMarker()
  const id = await insertSession(app.pool, {
    status: hasProcess ? 'running' : 'waiting',
    git_root: repository(),
    session_id: randomUUID(),
    host_id: 'dead-host',
    metadata: { clone_path: '/gone', working_directory: '/gone', runtime_started: hasProcess },
  })
  if (hasProcess) await insertTranscript(app.pool, id, [entry(prompt)])
  const { rows } = await app.pool.query<{ id: string }>(
    `insert into turns (session_id, sequence, source, prompt, state, lease_owner, lease_expires_at, run_marker, pid)
     values ($1, 1, 'create', $2, 'executing', 'dead-host', now() + make_interval(secs => $3), $4, $5)
     returning id`,
    [id, prompt, leaseSeconds, marker, hasProcess ? 1 : null],
  )
  return { id, turnId: rows[0]?.id ?? '', marker }
}

test('a turn with an expired lease continues here, with a new clone and the stored conversation', async () => {
  const { id } = await abandonedTurn({ prompt: doing('seized'), hasProcess: true, leaseSeconds: -1 })
  await takeOver(app.host.app)
  expect(await reaches(id, 'needs_input')).toMatchObject({
    metadata: { clone_path: join(app.home, 'clones', `session-${id}`) },
  })
  expect((await stat(join(app.home, 'clones', `session-${id}`, 'README.md'))).isFile()).toBe(true)
  expect(await turns(id)).toMatchObject([{ outcome: 'interrupted' }, { outcome: 'completed', source: 'recovery' }])
  const contents = (await entriesOf(app, id)).map(({ message }) => message.content)
  expect(contents.slice(0, 2)).toEqual([doing('seized'), recoveryPromptAfterMove(doing('seized'))])
  expect(await done()).not.toContain('seized')
})

test('a turn whose agent was never started runs from the beginning', async () => {
  const { id } = await abandonedTurn({ prompt: doing('requeued'), hasProcess: false, leaseSeconds: -1 })
  await takeOver(app.host.app)
  await isDone('requeued')
  await settled(id)
  expect(await turns(id)).toMatchObject([{ outcome: 'completed', source: 'create' }])
})

test('a turn with a valid lease stays with its host', async () => {
  const { id, turnId } = await abandonedTurn({ prompt: 'say no', hasProcess: true, leaseSeconds: 3600 })
  await takeOver(app.host.app)
  expect(await turns(id)).toMatchObject([{ id: turnId, state: 'executing', lease_owner: 'dead-host' }])
})

test('concurrent takeovers create one recovery turn', async () => {
  const { id } = await abandonedTurn({ prompt: 'say once', hasProcess: true, leaseSeconds: -1 })
  await Promise.all(Array.from({ length: 10 }, () => takeOver(app.host.app)))
  await reaches(id, 'needs_input')
  expect(await turns(id)).toHaveLength(2)
})

test('late writes of a host that lost its turn change nothing', async () => {
  const { id, turnId, marker } = await abandonedTurn({ prompt: doing('stale'), hasProcess: true, leaseSeconds: -1 })
  await takeOver(app.host.app)
  await reaches(id, 'needs_input')
  const before = [await turns(id), await findDemo(app, id)]
  const hold = { turnId, owner: 'dead-host', marker }
  expect(await renewLease(app.host.app.db, hold)).toBeUndefined()
  await recordReceipt(app.host.app.db, { sessionId: id, owner: hold.owner })
  await endTurn(app.host.app, hold, id, { kind: 'failed', reason: 'crash', detail: 'too late' })
  expect([await turns(id), await findDemo(app, id)]).toEqual(before)
})

test('a host ends its leftover processes of turns that others took over, once', async () => {
  const marker = newRunMarker()
  const agent = await launch({
    command: 'sleep',
    args: ['1000'],
    cwd: app.home,
    env: { PATH: process.env.PATH ?? '' },
    marker,
    stdin: 'none',
  })
  const { hostId } = app.host.app.home
  await app.pool.query('insert into abandoned_runs (run_marker, host_id) values ($1, $2)', [marker, hostId])
  await takeOver(app.host.app)
  expect((await agent.exited).signal).toMatch(/SIGTERM|SIGKILL/)
  expect((await app.pool.query('select from abandoned_runs where host_id = $1', [hostId])).rows).toEqual([])
})

test('hosts that have been silent for days are forgotten with their workers, unless they left processes behind', async () => {
  await app.pool.query(
    `insert into hosts (id, seen_at) values
       ('old-host', now() - interval '8 days'), ('quiet-host', now() - interval '1 day'), ('seized-host', '-infinity')`,
  )
  await app.pool.query("insert into job_workers (worker_id, host_id) values ('old-worker', 'old-host')")
  await app.pool.query("insert into abandoned_runs (run_marker, host_id) values ('left-behind', 'seized-host')")
  await pruneHosts(app.host.app)
  const { rows } = await app.pool.query("select id from hosts where id in ('old-host', 'quiet-host', 'seized-host')")
  expect(rows.map(({ id }) => id).sort()).toEqual(['quiet-host', 'seized-host'])
  expect((await app.pool.query("select from job_workers where host_id = 'old-host'")).rows).toEqual([])
})

test('a follow-up to a session of a dead host runs here', async () => {
  const id = await insertSession(app.pool, {
    status: 'needs_input',
    git_root: repository(),
    session_id: randomUUID(),
    host_id: 'dead-host',
    metadata: { clone_path: '/gone', working_directory: '/gone', runtime_started: true },
  })
  await insertTranscript(app.pool, id, [entry('say before')])
  await say(id, doing('moved'))
  await isDone('moved')
  await reaches(id, 'needs_input')
  expect((await entriesOf(app, id)).map(({ message }) => message.content).slice(0, 2)).toEqual([
    'say before',
    doing('moved'),
  ])
})

test('a session that returns to a host continues from the stored entries, not from the old file there', async () => {
  const id = await rested()
  const { entry_count: count } = (
    await app.pool.query('select entry_count from transcript_threads where session_id = $1', [id])
  ).rows[0]
  // Another host had the session: it wrote the conversation to its own file and appended to it.
  await app.pool.query("update sessions set host_id = 'dead-host' where id = $1", [id])
  await app.pool.query(
    "insert into transcript_entries (session_id, thread, sequence, line) values ($1, 'main', $2, $3)",
    [id, count + 1, entry('say elsewhere')],
  )
  await app.pool.query(
    'update transcript_threads set entry_count = entry_count + 1, read_bytes = read_bytes + 5000 where session_id = $1',
    [id],
  )
  await say(id, doing('back'))
  await isDone('back')
  await reaches(id, 'needs_input')
  const contents = (await entriesOf(app, id)).map(({ message }) => message.content)
  expect(contents.slice(count, count + 2)).toEqual(['say elsewhere', doing('back')])
  expect(contents).toHaveLength(count + 4)
})
