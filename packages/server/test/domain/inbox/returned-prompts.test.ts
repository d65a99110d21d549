import { afterEach, describe, expect, test, vi } from 'vitest'
import { beat } from '../../../src/domain/heartbeats/send-heartbeat.ts'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { recoveryPrompt } from '../../../src/domain/lifecycle/recovery-prompt.ts'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { testApp } from '../../support/app/app.ts'
import { conversing } from '../../support/sessions/conversation.ts'
import { letNextAgentBeDeaf } from '../../support/sessions/deaf-agent.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { rested, say, turns, messages, reaches, settled } = conversing(app)
afterEach(() => vi.restoreAllMocks())

/** A resting session with turns that wait, as after a pause. */
async function withWaitingTurns(): Promise<number> {
  const id = await rested()
  const waiting = [
    ['recovery', recoveryPrompt],
    ['heartbeat', 'a beat'],
    ['follow_up', 'say waited'],
    ['create', ''],
  ]
  for (const [index, [source, prompt]] of waiting.entries()) {
    const values = [id, index + 2, source, prompt]
    await app.pool.query('insert into turns (session_id, sequence, source, prompt) values ($1, $2, $3, $4)', values)
  }
  return id
}

const told = async (id: number) => (await messages(id)).map(({ content, origin }) => [content, origin])

describe('what waits for its turn and goes back to the queue', () => {
  test('says what it is when its session is put away', async () => {
    const id = await withWaitingTurns()
    await archiveSession(app.host.app, { id }, { force: true })
    expect(await told(id)).toEqual([
      [recoveryPrompt, 'automated_recovery_nudge'],
      ['say waited', 'caller'],
    ])
  })

  test('says what it is when something more pressing takes its place', async () => {
    const id = await withWaitingTurns()
    await say(id, 'say pressing', { isImmediate: true })
    expect(await told(id)).toEqual(
      expect.arrayContaining([
        ['say pressing', 'caller'],
        [recoveryPrompt, 'automated_recovery_nudge'],
        ['say waited', 'caller'],
      ]),
    )
    await settled(id)
    await eventually(
      () => messages(id),
      (all) => all.length === 3 && all.every(({ status }) => status === 'sent'),
      60_000,
    )
  })
})

describe('a turn that is withdrawn before its agent had the prompt', () => {
  test('goes back as a nudge of ours if it was to tell the agent to go on', async () => {
    const id = await rested()
    letNextAgentBeDeaf(app)
    await restartSession(app.host.app, { id })
    await reaches(id, 'running')
    await pauseSession(app.host.app, { id })
    await settled(id)
    expect(await messages(id)).toMatchObject([
      { content: recoveryPrompt, origin: 'automated_recovery_nudge', status: 'pending' },
    ])
  })

  test('is dropped if it was a heartbeat, since the next one comes by itself', async () => {
    const id = await rested()
    letNextAgentBeDeaf(app)
    await app.pool.query('update sessions set heartbeat_enabled = true where id = $1', [id])
    await beat(app.host.app, id)
    await reaches(id, 'running')
    await pauseSession(app.host.app, { id })
    await settled(id)
    expect(await turns(id)).toMatchObject([{}, { source: 'heartbeat', outcome: 'interrupted', started_at: null }])
    expect(await messages(id)).toEqual([])
  })
})
