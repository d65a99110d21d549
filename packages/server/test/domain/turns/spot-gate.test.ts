import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { interruptWithMessage } from '../../../src/domain/conversation/interrupt.ts'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { admit } from '../../../src/domain/turns/admit.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { findDemo } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, say, queue, turns, logs, reaches, settled, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects

async function limitSpotSessions(slots: number): Promise<void> {
  const answer = await app.patch('/settings', { spot_gating_enabled: true, spot_max_concurrent_sessions: slots })
  expect(answer.status).toBe(200)
}

/** A spot session whose turn is held, behind a session that runs until `release`. */
async function held(prompt: string): Promise<{ id: number; release(): Promise<void> }> {
  await limitSpotSessions(1)
  const { release } = await busy()
  const id = await create(prompt)
  await eventually(
    () => findDemo(app, id),
    ({ metadata }) => metadata.spot_hold_at !== undefined,
  )
  return { id, release }
}

describe('the spot gate', () => {
  test('the spot gate never dispatches more turns than it has slots, under concurrent admission', async () => {
    await limitSpotSessions(2)
    const seen: number[] = []
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        const { rows } = await app.pool.query(
          "select count(*)::int as live from turns where state in ('dispatched', 'executing')",
        )
        seen.push(rows[0].live)
        // Without a pause, polling would take most of the CPU.
        await wait(5)
      }
    })()
    const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => create(doing(`gate-${index}`))))
    await Promise.all(Array.from({ length: 10 }, () => admit(app.host.app)))
    for (const id of ids) await reaches(id, 'needs_input')
    isOver = true
    await watching
    expect(Math.max(...seen)).toBe(2)
    expect((await done()).filter((word) => word.startsWith('gate'))).toHaveLength(8)
  })

  test('the spot gate dispatches the highest precedence first, and the oldest turn among equals', async () => {
    await limitSpotSessions(1)
    const { release } = await busy()
    const ranks = { 'order-3': 0, 'order-4': 0, 'order-1': 7, 'order-2': 3 }
    for (const [word, precedence] of Object.entries(ranks)) await create(doing(word), { precedence })
    await release()
    await isDone('order-4')
    expect((await done()).filter((word) => word.startsWith('order'))).toEqual([
      'order-1',
      'order-2',
      'order-3',
      'order-4',
    ])
  })

  test('the spot gate never holds priority turns, which still take up slots', async () => {
    await limitSpotSessions(1)
    const { release } = await busy()
    const urgent = await create('sleep 60', { scheduling_class: 'priority' })
    await reaches(urgent, 'running')
    const spot = await create(doing('spot'))
    await release()
    await eventually(
      () => findDemo(app, spot),
      ({ metadata }) => metadata.spot_hold_at !== undefined,
    )
    expect((await turns(spot))[0]).toMatchObject({ state: 'queued' })
    await archiveSession(app.host.app, { id: urgent }, { force: false })
    await isDone('spot')
  })

  test('the spot gate dispatches held turns at once when the settings raise the limit', async () => {
    const { id, release } = await held('sleep 60')
    await limitSpotSessions(3)
    await reaches(id, 'running')
    await release()
    await archiveSession(app.host.app, { id }, { force: false })
    await settled(id)
  })
})

describe('a held session', () => {
  test('a held session runs an immediate follow-up and an interrupting message before the held turn, then the rest in order', async () => {
    const { id, release } = await held(doing('pressing-2'))
    await say(id, doing('pressing-3'))
    const message = await queue(id, doing('pressing-1'))
    await queue(id, doing('pressing-4'))
    await interruptWithMessage(app.host.app, { id }, message.id, { isByPerson: true })
    const { session } = await say(id, doing('pressing-0'), { isImmediate: true })
    expect(session).toMatchObject({ status: 'waiting', running_job_id: expect.any(String) })
    await release()
    await isDone('pressing-4')
    await settled(id)
    const words = Array.from({ length: 5 }, (_, index) => `pressing-${index}`)
    expect((await done()).filter((word) => word.startsWith('pressing'))).toEqual(words)
  })

  test('a held session shows why it is held, logs it once, and clears it when the turn starts', async () => {
    const { id, release } = await held(doing('held'))
    for (let round = 0; round < 3; round += 1) await admit(app.host.app)
    const { status, metadata } = await findDemo(app, id)
    const detail = '1 session was running and the limit for spot work is 1'
    expect(status).toBe('waiting')
    expect(metadata).toMatchObject({ spot_hold_reason: 'fleet_at_cap', spot_hold_detail: detail })
    expect((await logs(id)).filter((line) => line.startsWith('Held:'))).toHaveLength(1)
    await release()
    await isDone('held')
    expect((await reaches(id, 'needs_input')).metadata).not.toHaveProperty('spot_hold_at')
    expect(await logs(id)).toContain('A slot is free; the held turn starts.')
  })

  test('a held session stays held through a follow-up and a restart, logs it once, and runs both prompts in order', async () => {
    const { id, release } = await held(doing('spoken-1'))
    const { metadata } = await findDemo(app, id)
    const { delivery, session } = await say(id, doing('spoken-2'))
    expect([delivery, session.status]).toEqual(['sent', 'waiting'])
    expect((await restartSession(app.host.app, { id })).message).toBe('Session restarted')
    await admit(app.host.app)
    expect((await findDemo(app, id)).metadata.spot_hold_at).toBe(metadata.spot_hold_at)
    expect((await logs(id)).filter((line) => line.startsWith('Held:'))).toHaveLength(1)
    await release()
    await isDone('spoken-2')
    expect((await done()).filter((word) => word.startsWith('spoken'))).toEqual(['spoken-1', 'spoken-2'])
  })

  test('a held session is no longer held after it is archived, and its prompt is kept as undelivered', async () => {
    const { id, release } = await held('say never')
    const session = await archiveSession(app.host.app, { id }, { force: false })
    expect(session.metadata).not.toHaveProperty('spot_hold_at')
    const { rows } = await app.pool.query('select content, status from enqueued_messages where session_id = $1', [id])
    expect(rows).toEqual([{ content: 'say never', status: 'undelivered' }])
    await release()
  })
})
