import { expect, test } from 'vitest'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { testApp } from '../../support/app/app.ts'
import { conversing } from '../../support/sessions/conversation.ts'

const app = testApp({ environment: { AGENT_SILENCE_SECONDS: '4' } })
const { create, queue, messages, turns, reaches, effects } = conversing(app)
const { doing, isDone } = effects

test('an agent that gives no sign of life is stopped; its session has failed, and its queue waits for a restart', async () => {
  const id = await create('sleep 120')
  const { metadata } = await reaches(id, 'running')
  await queue(id, doing('after-silence'))
  const failed = await reaches(id, 'failed')
  const sentence = 'The agent gave no sign of life for 4 s and was stopped. Restart the session to let it go on.'
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

test('an agent that stirs now and then may take as long as it likes', async () => {
  const id = await create(Array.from({ length: 16 }, (_, index) => `sleep 0.3\nsay still here ${index}`).join('\n'))
  expect(await reaches(id, 'needs_input', 'failed')).toMatchObject({ status: 'needs_input' })
})
