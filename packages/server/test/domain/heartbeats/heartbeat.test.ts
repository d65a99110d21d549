import { describe, expect, test } from 'vitest'
import { sendDueHeartbeats } from '../../../src/domain/heartbeats/send-due-heartbeats.ts'
import { sendHeartbeat } from '../../../src/domain/heartbeats/send-heartbeat.ts'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { putToSleep } from '../../../src/domain/lifecycle/sleep.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { findDemo } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, rested, queue, turns, messages, logs, reaches, settled } = sessionHelpers(app)

/** Enables the heartbeat, with the last one so many seconds ago. The host's own periodic task may send it first. */
async function enable(id: number, { lastSecondsAgo }: { lastSecondsAgo: number }): Promise<void> {
  await app.pool.query(
    `update sessions
     set heartbeat_enabled = true,
       metadata = metadata || jsonb_build_object(
         'heartbeat_last_beat_at',
         to_char((now() - make_interval(secs => $2)) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
       )
     where id = $1`,
    [id, lastSecondsAgo],
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

const heartbeats = async (id: number): Promise<unknown[]> =>
  (await turns(id)).filter(({ source }) => source === 'heartbeat')

describe('a heartbeat', () => {
  test('prompts a session at rest once, with ten concurrent runs', async () => {
    const id = await rested()
    await enable(id, { lastSecondsAgo: 60 })
    await Promise.all(Array.from({ length: 10 }, () => sendDueHeartbeats(app.host.app)))
    await isStamped(id)
    await settled(id)
    expect(await heartbeats(id)).toMatchObject([{ outcome: 'completed' }])
    expect((await reaches(id, 'needs_input')).metadata.heartbeat_last_beat_at).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    )
  })

  test('a heartbeat is sent by the periodic task to a session that never had one', async () => {
    const id = await rested()
    await app.pool.query('update sessions set heartbeat_enabled = true where id = $1', [id])
    await eventually(
      () => heartbeats(id),
      (all) => all.length === 1,
    )
    await settled(id)
  })

  test('a heartbeat is not sent before its interval ends, nor while it is disabled', async () => {
    const id = await rested()
    expect(await sendHeartbeat(app.host.app, id)).toBe(false)
    await enable(id, { lastSecondsAgo: 1 })
    expect(await sendHeartbeat(app.host.app, id)).toBe(false)
    expect(await heartbeats(id)).toEqual([])
  })

  test('a heartbeat is stamped but not sent while a session runs, sleeps or has failed', async () => {
    const working = await busy()
    const asleep = await rested()
    await putToSleep(app.host.app, { id: asleep })
    const failed = await create('fail on purpose')
    await reaches(failed, 'failed')
    for (const id of [working.id, asleep, failed]) {
      await enable(id, { lastSecondsAgo: 60 })
      await sendHeartbeat(app.host.app, id)
      await isStamped(id)
      expect(await heartbeats(id)).toEqual([])
    }
    await working.release()
  })

  test('a heartbeat is not sent to a session that a person paused', async () => {
    const { id } = await busy()
    await pauseSession(app.host.app, { id })
    await settled(id)
    await enable(id, { lastSecondsAgo: 60 })
    await sendHeartbeat(app.host.app, id)
    await isStamped(id)
    expect([await heartbeats(id), (await findDemo(app, id)).status]).toEqual([[], 'needs_input'])
  })

  test('a heartbeat is not sent to a session with a pending queued message', async () => {
    const { id } = await busy()
    await queue(id, 'say later')
    await pauseSession(app.host.app, { id })
    await settled(id)
    await app.pool.query("update sessions set metadata = metadata - 'paused_by' where id = $1", [id])
    await enable(id, { lastSecondsAgo: 60 })
    await sendHeartbeat(app.host.app, id)
    await isStamped(id)
    expect([await heartbeats(id), (await messages(id)).map(({ status }) => status)]).toEqual([[], ['pending']])
  })

  test('a heartbeat is turned off for an archived session', async () => {
    const id = await rested()
    await archiveSession(app.host.app, { id }, { force: false })
    await enable(id, { lastSecondsAgo: 60 })
    await sendHeartbeat(app.host.app, id)
    await eventually(
      () => findDemo(app, id),
      ({ heartbeat_enabled }) => heartbeat_enabled === false,
    )
    expect(await logs(id)).toContain('The heartbeat was turned off because the session is archived.')
  })
})
