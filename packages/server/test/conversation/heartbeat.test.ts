import { expect, test } from 'vitest'
import { beat } from '../../src/domain/conversation/beat.ts'
import { archiveSession } from '../../src/domain/sessions/lifecycle/archive.ts'
import { pauseSession } from '../../src/domain/sessions/lifecycle/pause.ts'
import { testApp } from '../support/app.ts'
import { conversing } from '../support/conversation.ts'
import { findDemo } from '../support/demo-session.ts'

const app = testApp()
const { busy, rested, turns, logs, settled } = conversing(app)

async function enable(id: number): Promise<void> {
  await app.pool.query('update sessions set heartbeat_enabled = true where id = $1', [id])
}

test('a beat tells a resting session to go on, and many at once tell it once', async () => {
  const id = await rested()
  expect(await beat(app.host.app, id)).toBe(false)
  await enable(id)
  const beats = await Promise.all(Array.from({ length: 10 }, () => beat(app.host.app, id)))
  expect(beats.filter(Boolean)).toHaveLength(1)
  await settled(id)
  expect(await turns(id)).toMatchObject([{}, { source: 'heartbeat', outcome: 'completed' }])
})

test('a beat leaves a session alone that works, or that a person paused', async () => {
  const { id } = await busy()
  await enable(id)
  expect(await beat(app.host.app, id)).toBe(false)
  await pauseSession(app.host.app, { id })
  expect(await beat(app.host.app, id)).toBe(false)
  await settled(id)
})

test('the heart of an archived session is stopped at its next beat', async () => {
  const id = await rested()
  await enable(id)
  await archiveSession(app.host.app, { id }, { force: false })
  expect(await beat(app.host.app, id)).toBe(false)
  expect((await findDemo(app, id)).heartbeat_enabled).toBe(false)
  expect(await logs(id)).toContain('The heartbeat was turned off because the session is archived.')
})
