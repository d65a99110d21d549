import { expect, test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { putToSleep } from '../../../src/domain/lifecycle/sleep.ts'
import { admit } from '../../../src/domain/turns/admit.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { findDemo } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, rested, say, turns, messages, reaches, settled, logs, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects

const sleep = (id: number) => putToSleep(app.host.app, { id })

test('a resting session sleeps at once', async () => {
  const id = await rested()
  const session = await sleep(id)
  expect(session).toMatchObject({ status: 'waiting', running_job_id: null })
  expect(session.metadata.deliberate_sleep_at).toEqual(expect.any(String))
  expect(session.metadata).not.toHaveProperty('pending_sleep')
})

test('a running session goes to sleep when its turn ends, and the next prompt wakes it', async () => {
  const { id, release } = await busy()
  expect(await sleep(id)).toMatchObject({ status: 'running', metadata: { pending_sleep: true } })
  await release()
  const asleep = await reaches(id, 'waiting')
  expect(asleep.metadata).toMatchObject({ deliberate_sleep_at: expect.any(String) })
  expect(asleep.metadata).not.toHaveProperty('pending_sleep')
  expect(asleep.running_job_id).toBeNull()
  expect(await logs(id)).toContain('The turn ended; the session sleeps until it gets a prompt.')
  await say(id, doing('awake'))
  await isDone('awake')
  expect((await reaches(id, 'needs_input')).metadata).not.toHaveProperty('deliberate_sleep_at')
})

test('a session with a pending sleep works through its queue first', async () => {
  const { id, release } = await busy()
  await say(id, doing('before-sleep'))
  await sleep(id)
  await release()
  await isDone('before-sleep')
  await settled(id)
  const asleep = await eventually(
    () => findDemo(app, id),
    ({ metadata }) => metadata.pending_sleep === undefined,
  )
  expect(asleep).toMatchObject({ status: 'waiting', metadata: { deliberate_sleep_at: expect.any(String) } })
})

test('a session that was paused with a queued turn sleeps without running it, and starts with it at the next prompt', async () => {
  const { id } = await busy()
  await app.pool.query("insert into turns (session_id, sequence, source, prompt) values ($1, 2, 'follow_up', $2)", [
    id,
    doing('sleepless-1'),
  ])
  await pauseSession(app.host.app, { id })
  expect(await sleep(id)).toMatchObject({ status: 'waiting', running_job_id: null })
  await admit(app.host.app)
  await settled(id)
  expect(await turns(id)).toMatchObject([{ outcome: 'interrupted' }, { outcome: 'interrupted', started_at: null }])
  expect(await messages(id)).toMatchObject([{ status: 'pending', content: doing('sleepless-1') }])
  await say(id, doing('sleepless-2'))
  await isDone('sleepless-2')
  await settled(id)
  expect((await done()).filter((word) => word.startsWith('sleepless'))).toEqual(['sleepless-1', 'sleepless-2'])
})

test('a waiting, failed or archived session cannot sleep', async () => {
  const failed = await create('fail on purpose')
  await reaches(failed, 'failed')
  const archived = await rested()
  await archiveSession(app.host.app, { id: archived }, { force: false })
  const ids = { waiting: await create(), failed, archived }
  for (const [status, id] of Object.entries(ids)) {
    await expect(sleep(id)).rejects.toMatchObject({
      kind: 'cannot_sleep',
      messages: [`Session must be in needs_input or running state to sleep (current: ${status})`],
    })
  }
})
