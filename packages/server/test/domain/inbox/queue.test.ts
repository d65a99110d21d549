import { describe, expect, test } from 'vitest'
import { drainQueue } from '../../../src/domain/conversation/drain-queue.ts'
import { changeMessage, removeMessage, reorderMessage } from '../../../src/domain/inbox/messages.ts'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { drain, create, busy, rested, queue, messages, reaches, settled, turns, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects

/** Pending messages in order, each as `position content`. */
const pending = async (id: number): Promise<string[]> =>
  (await messages(id)).filter(({ status }) => status === 'pending').map((row) => `${row.position} ${row.content}`)

async function queueOf(...contents: string[]): Promise<{ id: number; ids: number[]; release(): Promise<void> }> {
  const { id, release } = await busy()
  const ids: number[] = []
  for (const content of contents) ids.push((await queue(id, content)).id)
  return { id, ids, release }
}

async function archive(id: number): Promise<void> {
  await archiveSession(app.host.app, { id }, { force: true })
}

describe('positions of queued messages', () => {
  test('stay 1..n while callers queue, move and delete messages concurrently', async () => {
    const { id, ids } = await queueOf('say a', 'say b', 'say c', 'say d')
    const [a = 0, b = 0, c = 0, d = 0] = ids
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) => queue(id, `say ${index}`)),
      ...Array.from({ length: 10 }, (_, index) => reorderMessage(app.host.app, { id }, d, index + 1)),
      ...Array.from({ length: 10 }, (_, index) => reorderMessage(app.host.app, { id }, a, 30 - index)),
      removeMessage(app.host.app, { id }, b),
      removeMessage(app.host.app, { id }, c),
    ])
    const positions = (await messages(id)).map(({ position }) => position)
    expect(positions).toEqual(Array.from({ length: 22 }, (_, index) => index + 1))
    await archive(id)
  })

  test('a position past the end moves the message to the end', async () => {
    const { id, ids } = await queueOf('say a', 'say b', 'say c')
    expect(await reorderMessage(app.host.app, { id }, ids[0] ?? 0, 50)).toMatchObject({ position: 3 })
    expect(await pending(id)).toEqual(['1 say b', '2 say c', '3 say a'])
    expect(await reorderMessage(app.host.app, { id }, ids[0] ?? 0, 1)).toMatchObject({ position: 1 })
    expect(await pending(id)).toEqual(['1 say a', '2 say b', '3 say c'])
    expect(await reorderMessage(app.host.app, { id }, ids[1] ?? 0, 2)).toMatchObject({ position: 2 })
    expect(await pending(id)).toEqual(['1 say a', '2 say b', '3 say c'])
    await archive(id)
  })

  test('deleting a message moves the later ones up', async () => {
    const { id, ids } = await queueOf('say a', 'say b', 'say c')
    await removeMessage(app.host.app, { id }, ids[1] ?? 0)
    expect(await pending(id)).toEqual(['1 say a', '2 say c'])
    await expect(removeMessage(app.host.app, { id }, ids[1] ?? 0)).rejects.toMatchObject({ kind: 'not_found' })
    await archive(id)
  })
})

describe('a queued message', () => {
  test('a queued message can be changed while it is pending, and is delivered as changed', async () => {
    const { id, ids, release } = await queueOf('say never', 'say after')
    const [first = 0] = ids
    expect(
      await changeMessage(app.host.app, { id }, first, { content: doing('edited'), goal: 'a goal' }),
    ).toMatchObject({ content: doing('edited'), goal: 'a goal', status: 'pending', position: 1 })
    await release()
    await isDone('edited')
    expect((await reaches(id, 'needs_input')).goal).toBe('a goal')
    await expect(changeMessage(app.host.app, { id }, first, { content: 'say late' })).rejects.toMatchObject({
      kind: 'message_not_pending',
    })
    await expect(reorderMessage(app.host.app, { id }, first, 1)).rejects.toMatchObject({ kind: 'message_not_pending' })
    expect(await messages(id)).toMatchObject([
      { id: String(first), status: 'sent', position: 1 },
      { status: 'sent', position: 1 },
    ])
  })

  test('a queued message of another session is not found', async () => {
    const one = await queueOf('say a')
    const other = await rested()
    await expect(changeMessage(app.host.app, { id: other }, one.ids[0] ?? 0, { content: 'x' })).rejects.toMatchObject({
      kind: 'not_found',
    })
    await archive(one.id)
  })

  test('a queued message can be deleted after delivery without renumbering pending messages', async () => {
    const id = await rested()
    const sent = await queue(id, 'sleep 60')
    await queue(id, 'say waits')
    await drain(id)
    await reaches(id, 'running')
    await removeMessage(app.host.app, { id }, sent.id)
    expect(await pending(id)).toEqual(['1 say waits'])
    await archive(id)
  })
})

describe('queueing a message', () => {
  test('queueing a message for a session at rest delivers it after a grace period of 10 seconds', async () => {
    const id = await rested()
    expect(await queue(id, doing('resting'))).toMatchObject({ status: 'pending', position: 1 })
    const { rows } = await app.pool.query(
      'select extract(epoch from run_at - created_at)::int as seconds from graphile_worker.jobs where key = $1',
      [`drain_queue:${id}`],
    )
    expect(rows).toEqual([{ seconds: 10 }])
    await drain(id)
    await isDone('resting')
  })

  test('queueing a message for a session at rest is delivered after an outage of the database, however long it lasts', async () => {
    const id = await rested()
    await queue(id, doing('after-outage'))
    await app.pool.query(
      `create function fill_disk() returns trigger language plpgsql as
       $$ begin perform nextval('attempts_of_drain'); raise exception 'full' using errcode = '53100'; end $$`,
    )
    await app.pool.query('create sequence attempts_of_drain')
    await app.pool.query(
      `create trigger fill_disk before insert on turns for each row when (new.session_id = ${id}) execute function fill_disk()`,
    )
    const draining = drainQueue.perform({ sessionId: id }, app.host.app)
    await eventually(
      async () => (await app.pool.query('select last_value::int as count from attempts_of_drain')).rows[0].count,
      (count) => count >= 3,
    )
    await app.pool.query('drop trigger fill_disk on turns')
    await draining
    await isDone('after-outage')
  })

  test('queueing a message for a session that never ran starts its first turn', async () => {
    const id = await create()
    await queue(id, doing('never-ran'))
    await drain(id)
    await isDone('never-ran')
  })

  test('queueing a message for a failed session keeps it pending until the session is restarted', async () => {
    const id = await create('fail on purpose')
    await reaches(id, 'failed')
    expect(await queue(id, doing('failed'))).toMatchObject({ status: 'pending', position: 1 })
    expect((await reaches(id, 'failed')).status).toBe('failed')
    await restartSession(app.host.app, { id })
    await isDone('failed')
  })

  test('queueing a message for an archived session is refused with cannot_follow_up', async () => {
    const id = await rested()
    await archiveSession(app.host.app, { id }, { force: false })
    await expect(queue(id, 'say no')).rejects.toMatchObject({ kind: 'cannot_follow_up' })
    expect(await messages(id)).toEqual([])
  })

  test('queueing a message for a paused session delivers the oldest message first', async () => {
    const { id } = await queueOf(doing('oldest'))
    await pauseSession(app.host.app, { id })
    await queue(id, doing('newest'))
    await drain(id)
    await isDone('newest')
    expect((await done()).filter((word) => word.endsWith('est'))).toEqual(['oldest', 'newest'])
  })

  test('queueing a message by several callers at once starts one turn at a time, and each message runs once', async () => {
    const id = await rested()
    await Promise.all(Array.from({ length: 6 }, (_, index) => queue(id, doing(`many-${index}`))))
    await Promise.all([drain(id), drain(id), drain(id)])
    for (let index = 0; index < 6; index += 1) await isDone(`many-${index}`)
    await settled(id)
    expect((await done()).filter((word) => word.startsWith('many'))).toHaveLength(6)
    expect((await turns(id)).filter(({ outcome }) => outcome === 'completed')).toHaveLength(7)
  })
})
