import { describe, expect, test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { armWake } from '../../support/triggers/arm-wake.ts'
import { triggerApp } from '../../support/triggers/trigger-app.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = await triggerApp({ role: 'all' })
const { busy, rested, turns, reaches } = sessionHelpers(app)

const isGone = (id: number) =>
  eventually(
    async () => (await app.get(`/triggers/${id}`)).status,
    (status) => status === 404,
  )
const promptsOf = async (id: number): Promise<unknown[]> => (await turns(id)).map(({ prompt }) => prompt)

describe('a host with a worker', () => {
  test('wakes a sleeping session at its time, and restores an archived one, without a request', async () => {
    const id = await rested()
    const schedule = { scheduled_at: new Date(Date.now() + 2000).toISOString() }
    await isGone(await armWake(app, id, schedule))
    await eventually(
      () => promptsOf(id),
      (prompts) => prompts.length === 2,
    )
    await reaches(id, 'needs_input')
    const [, turn] = await turns(id)
    const due = Math.floor(new Date(schedule.scheduled_at).getTime() / 1000) * 1000
    expect(Number(turn?.created_at)).toBeGreaterThanOrEqual(due)
    await archiveSession(app.host.app, { id }, { force: true })
    await isGone(await armWake(app, id, { scheduled_at: '2020-01-01T00:00' }, { resuscitate_archived: true }))
    await eventually(
      () => promptsOf(id),
      (prompts) => prompts.length === 3,
    )
    await reaches(id, 'needs_input')
  })

  test('puts a running session to sleep when its turn ends, and wakes it by an event', async () => {
    const watched = await rested()
    const { id, release } = await busy()
    const wake = await armWake(app, id, { event_name: 'session_archived', watched_session_id: watched })
    await release()
    await reaches(id, 'waiting')
    await archiveSession(app.host.app, { id: watched }, { force: true })
    await isGone(wake)
    await eventually(
      () => promptsOf(id),
      (prompts) => prompts.length === 2,
    )
    await reaches(id, 'needs_input')
  })
})
