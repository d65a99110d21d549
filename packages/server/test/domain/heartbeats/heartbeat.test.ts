import { describe, expect, test } from 'vitest'
import { beatAllDue } from '../../../src/domain/heartbeats/send-due-heartbeats.ts'
import { beat } from '../../../src/domain/heartbeats/send-heartbeat.ts'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { putToSleep } from '../../../src/domain/lifecycle/sleep.ts'
import { testApp } from '../../support/app/app.ts'
import { conversing } from '../../support/sessions/conversation.ts'
import { findDemo } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, rested, queue, turns, messages, logs, reaches, settled } = conversing(app)

/** Turns the heartbeat on, with the last beat so many seconds ago. The host's own watch looks, too. */
async function enable(id: number, { beatSecondsAgo }: { beatSecondsAgo: number }): Promise<void> {
  await app.pool.query(
    `update sessions
     set heartbeat_enabled = true,
       metadata = metadata || jsonb_build_object('heartbeat_last_beat_at', now() - make_interval(secs => $2))
     where id = $1`,
    [id, beatSecondsAgo],
  )
}

async function isStamped(id: number): Promise<void> {
  const ask = async () =>
    (
      await app.pool.query(
        `select (metadata ->> 'heartbeat_last_beat_at')::timestamptz > now() - interval '30 s' as is_fresh
         from sessions
         where id = $1`,
        [id],
      )
    ).rows[0]
  await eventually(ask, ({ is_fresh }) => is_fresh)
}

const beats = async (id: number): Promise<unknown[]> => (await turns(id)).filter(({ source }) => source === 'heartbeat')

describe('a beat', () => {
  test('tells a resting session to go on, once, however many look at the same time', async () => {
    const id = await rested()
    await enable(id, { beatSecondsAgo: 60 })
    await Promise.all(Array.from({ length: 10 }, () => beatAllDue(app.host.app)))
    await isStamped(id)
    await settled(id)
    expect(await beats(id)).toMatchObject([{ outcome: 'completed' }])
    expect((await reaches(id, 'needs_input')).metadata.heartbeat_last_beat_at).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    )
  })

  test('comes at once to a heart that has never beaten, by the watch that every worker keeps', async () => {
    const id = await rested()
    await app.pool.query('update sessions set heartbeat_enabled = true where id = $1', [id])
    await eventually(
      () => beats(id),
      (all) => all.length === 1,
      30_000,
    )
    await settled(id)
  })

  test('does not come before its interval is over, nor when it is off', async () => {
    const id = await rested()
    expect(await beat(app.host.app, id)).toBe(false)
    await enable(id, { beatSecondsAgo: 1 })
    expect(await beat(app.host.app, id)).toBe(false)
    expect(await beats(id)).toEqual([])
  })

  test('is only noted while a session works, sleeps or has failed', async () => {
    const working = await busy()
    const asleep = await rested()
    await putToSleep(app.host.app, { id: asleep })
    const failed = await create('fail on purpose')
    await reaches(failed, 'failed')
    for (const id of [working.id, asleep, failed]) {
      await enable(id, { beatSecondsAgo: 60 })
      await beat(app.host.app, id)
      await isStamped(id)
      expect(await beats(id)).toEqual([])
    }
    await working.letGo()
  })

  test('leaves a session alone that a person paused', async () => {
    const { id } = await busy()
    await pauseSession(app.host.app, { id })
    await settled(id)
    await enable(id, { beatSecondsAgo: 60 })
    await beat(app.host.app, id)
    await isStamped(id)
    expect([await beats(id), (await findDemo(app, id)).status]).toEqual([[], 'needs_input'])
  })

  test('leaves a session to the messages that wait for it', async () => {
    const { id } = await busy()
    await queue(id, 'say later')
    await pauseSession(app.host.app, { id })
    await settled(id)
    await app.pool.query("update sessions set metadata = metadata - 'paused_by' where id = $1", [id])
    await enable(id, { beatSecondsAgo: 60 })
    await beat(app.host.app, id)
    await isStamped(id)
    expect([await beats(id), (await messages(id)).map(({ status }) => status)]).toEqual([[], ['pending']])
  })

  test('stops the heart of an archived session', async () => {
    const id = await rested()
    await archiveSession(app.host.app, { id }, { force: false })
    await enable(id, { beatSecondsAgo: 60 })
    await beat(app.host.app, id)
    await eventually(
      () => findDemo(app, id),
      ({ heartbeat_enabled }) => heartbeat_enabled === false,
    )
    expect(await logs(id)).toContain('The heartbeat was turned off because the session is archived.')
  })
})
