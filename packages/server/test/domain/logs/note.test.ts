import { describe, expect, test } from 'vitest'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { testApp, testKey } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { entriesOf } from '../../support/sessions/demo-session.ts'

const secret = 'ours-9f8e7d6c5b4a39281706f5e4d3c2b1a0'
const app = testApp({ environment: { API_KEYS: `${testKey},${secret}` } })
const { create, busy, rested, say, logs, turns, reaches, settled } = sessionHelpers(app)

describe('the log of a session', () => {
  test('the log of a session records the start of the agent, the end of the turn and an accepted follow-up', async () => {
    const id = await rested()
    expect(await logs(id)).toEqual([
      expect.stringMatching(/^The agent started \(process \d+\)\. Agents are (not )?confined/),
      'The turn ended; the session needs input.',
    ])
    await say(id, 'say more')
    expect((await logs(id)).at(2)).toBe('A prompt was accepted (follow up); its turn is queued.')
    await settled(id)
  })

  test('the log of a session records a queued message and its delivery', async () => {
    const { id, release } = await busy()
    const { message } = await say(id, 'say more')
    await release()
    await reaches(id, 'needs_input')
    expect(await logs(id)).toEqual(
      expect.arrayContaining([
        'A message was queued at position 1.',
        `The queued message ${message?.id} is delivered as the next turn.`,
      ]),
    )
  })

  test('the log of a session records a pause', async () => {
    const { id } = await busy()
    await pauseSession(app.host.app, { id })
    await settled(id)
    expect((await logs(id)).slice(-2)).toEqual([
      'Paused: the running turn was stopped.',
      'The turn was ended by pause.',
    ])
  })

  test('the log of a session records a failed turn as an error with its reason', async () => {
    const id = await create('fail for want of coffee')
    await reaches(id, 'failed')
    const { rows } = await app.pool.query(
      "select content from session_logs where session_id = $1 and level = 'error'",
      [id],
    )
    expect(rows).toEqual([{ content: 'The turn failed (agent_error): for want of coffee' }])
  })
})

test('an API key that an agent prints is redacted in transcript, log, exit status and turn', async () => {
  const id = await create(`run echo ${secret}\nfail because of ${secret}`)
  const { metadata } = await reaches(id, 'failed')
  const [turn] = await turns(id)
  const stored = {
    transcript: JSON.stringify(await entriesOf(app, id)),
    logs: (await logs(id)).join('\n'),
    exit_status: String(metadata.exit_status),
    error: String(turn?.error),
  }
  for (const text of Object.values(stored)) {
    expect(text).toContain('[REDACTED:')
    expect(text).not.toContain(secret)
  }
})
