import { afterEach, describe, expect, test, vi } from 'vitest'
import { sendHeartbeat } from '../../../src/domain/heartbeats/send-heartbeat.ts'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { recoveryPrompt } from '../../../src/domain/lifecycle/recovery-prompt.ts'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { makeNextAgentIgnorePrompt } from '../../support/sessions/ignored-prompt.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { rested, say, turns, messages, reaches, settled } = sessionHelpers(app)
afterEach(() => vi.restoreAllMocks())

/** A session at rest with queued turns, as after a pause. */
async function sessionWithQueuedTurns(): Promise<number> {
  const id = await rested()
  const queued = [
    ['recovery', recoveryPrompt],
    ['heartbeat', 'a heartbeat'],
    ['follow_up', 'say waited'],
    ['create', ''],
  ]
  for (const [index, [source, prompt]] of queued.entries()) {
    const values = [id, index + 2, source, prompt]
    await app.pool.query('insert into turns (session_id, sequence, source, prompt) values ($1, $2, $3, $4)', values)
  }
  return id
}

const contentsAndOrigins = async (id: number) => (await messages(id)).map(({ content, origin }) => [content, origin])

describe('a queued turn that becomes a message again', () => {
  test('a queued turn that becomes a message again keeps its origin when its session is archived', async () => {
    const id = await sessionWithQueuedTurns()
    await archiveSession(app.host.app, { id }, { force: true })
    expect(await contentsAndOrigins(id)).toEqual([
      [recoveryPrompt, 'automated_recovery_nudge'],
      ['say waited', 'caller'],
    ])
  })

  test('a queued turn that becomes a message again keeps its origin when an immediate follow-up goes first', async () => {
    const id = await sessionWithQueuedTurns()
    await say(id, 'say pressing', { isImmediate: true })
    expect(await contentsAndOrigins(id)).toEqual(
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
    )
  })
})

describe('a turn that is withdrawn before its agent received the prompt', () => {
  test('a turn that is withdrawn before its agent received the prompt becomes a message of origin automated_recovery_nudge if it was a recovery turn', async () => {
    const id = await rested()
    makeNextAgentIgnorePrompt()
    await restartSession(app.host.app, { id })
    await reaches(id, 'running')
    await pauseSession(app.host.app, { id })
    await settled(id)
    expect(await messages(id)).toMatchObject([
      { content: recoveryPrompt, origin: 'automated_recovery_nudge', status: 'pending' },
    ])
  })

  test('a turn that is withdrawn before its agent received the prompt is dropped if it was a heartbeat', async () => {
    const id = await rested()
    makeNextAgentIgnorePrompt()
    await app.pool.query('update sessions set heartbeat_enabled = true where id = $1', [id])
    await sendHeartbeat(app.host.app, id)
    await reaches(id, 'running')
    await pauseSession(app.host.app, { id })
    await settled(id)
    expect(await turns(id)).toMatchObject([{}, { source: 'heartbeat', outcome: 'interrupted', started_at: null }])
    expect(await messages(id)).toEqual([])
  })
})
