import { expect, test } from 'vitest'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { armWake } from '../../support/triggers/arm-wake.ts'
import { triggerApp } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()

test('GET /triggers with wakes_session_id lists the wakes that are armed for the session, and nothing for an unknown one', async () => {
  const session = () => insertSession(app.pool, { status: 'needs_input' })
  const [sleeper, other] = [await session(), await session()]
  const timed = await armWake(app, sleeper, { scheduled_at: '2040-01-01T00:00:00', timezone: 'UTC' })
  const watching = await armWake(app, sleeper, { event_name: 'session_needs_input', watched_session_id: other })
  const disabled = await armWake(app, sleeper, { scheduled_at: '2040-01-02T00:00:00', timezone: 'UTC' })
  await app.post(`/triggers/${disabled}/toggle`)
  await armWake(app, other, { scheduled_at: '2040-01-01T00:00:00', timezone: 'UTC' })
  const wakesOf = async (value: number | string): Promise<number[]> => {
    const { status, body } = await app.get(`/triggers?wakes_session_id=${value}`)
    expect(status).toBe(200)
    return body.triggers.map(({ id }: { id: number }) => id)
  }
  expect(await wakesOf(sleeper)).toEqual([watching, timed])
  for (const unknown of [999_999, 'x', '%27']) expect(await wakesOf(unknown)).toEqual([])
  expect(await wakesOf('')).toHaveLength(4)
})
