import { expect, test } from 'vitest'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'

/** On a busy machine an agent takes seconds to write its first line. */
const silenceSeconds = 10
const app = testApp({ environment: { AGENT_SILENCE_SECONDS: String(silenceSeconds) } })
const { create, queue, messages, turns, reaches, effects } = sessionHelpers(app)
const { doing, isDone } = effects

test('an agent without activity is stopped; its session fails, and its queue waits for a restart', async () => {
  const id = await create('sleep 120')
  const { metadata } = await reaches(id, 'running')
  await queue(id, doing('after-silence'))
  const failed = await reaches(id, 'failed')
  const sentence = `The agent showed no activity for ${silenceSeconds} s and was stopped. Restart the session to continue.`
  expect(failed).toMatchObject({
    running_job_id: null,
    metadata: { failure_reason: 'silent', exit_status: sentence },
  })
  expect(await processTable().identify(metadata.process_pid)).toBeUndefined()
  expect(await turns(id)).toMatchObject([{ outcome: 'failed', failure_reason: 'silent', error: sentence }])
  expect(await messages(id)).toMatchObject([{ status: 'pending' }])
  await restartSession(app.host.app, { id })
  await isDone('after-silence')
})

test('an agent with regular activity may run longer than the silence limit', async () => {
  const lines = Array.from({ length: silenceSeconds + 1 }, (_, index) => `sleep 1\nsay still here ${index}`)
  const id = await create(lines.join('\n'))
  expect(await reaches(id, 'needs_input', 'failed')).toMatchObject({ status: 'needs_input' })
})
