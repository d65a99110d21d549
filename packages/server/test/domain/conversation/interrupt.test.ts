import { afterEach, describe, expect, test, vi } from 'vitest'
import { interruptWithMessage } from '../../../src/domain/conversation/interrupt.ts'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { makeNextAgentIgnorePrompt } from '../../support/sessions/ignored-prompt.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, rested, queue, say, messages, turns, logs, reaches, settled, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects
afterEach(() => vi.restoreAllMocks())

const interrupt = (id: number, messageId: number) =>
  interruptWithMessage(app.host.app, { id }, messageId, { isByPerson: true })

describe('an interrupt', () => {
  test('an interrupt by fifty concurrent callers delivers the message once; the others get message_taken', async () => {
    const { id } = await busy()
    const message = await queue(id, doing('fifty'))
    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => interrupt(id, message.id)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ kind: 'message_taken' })
    }
    await isDone('fifty')
    await reaches(id, 'needs_input')
    expect((await done()).filter((word) => word === 'fifty')).toEqual(['fifty'])
  })

  test('an interrupt stops the agent, and the other messages keep their order after the delivered one', async () => {
    const { id } = await busy()
    const { metadata } = await reaches(id, 'running')
    for (const word of ['kept-1', 'kept-2']) await queue(id, doing(word))
    const urgent = await queue(id, doing('kept-0'))
    expect(await interrupt(id, urgent.id)).toMatchObject({ status: 'waiting', running_job_id: expect.any(String) })
    await isDone('kept-2')
    expect((await done()).filter((word) => word.startsWith('kept'))).toEqual(['kept-0', 'kept-1', 'kept-2'])
    expect(await processTable().identify(metadata.process_pid)).toBeUndefined()
    expect(await logs(id)).toContain(`The running turn was interrupted by message ${urgent.id}.`)
  })

  test('an interrupt with a delivered or unknown message is refused', async () => {
    const id = await rested()
    const sent = await queue(id, 'say delivered')
    await interrupt(id, sent.id)
    await expect(interrupt(id, sent.id)).rejects.toMatchObject({
      kind: 'message_taken',
      messages: ['Message is sent and cannot be sent again'],
    })
    await expect(interrupt(id, 999_999)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('an interrupt of a paused session delivers the message', async () => {
    const { id } = await busy()
    const message = await queue(id, doing('from-pause'))
    await pauseSession(app.host.app, { id })
    expect((await interrupt(id, message.id)).status).toBe('waiting')
    await isDone('from-pause')
  })

  test('an interrupt of a failed or archived session is refused, and the message stays as it was', async () => {
    const id = await create('fail on purpose')
    await reaches(id, 'failed')
    const message = await queue(id, 'say waits')
    await expect(interrupt(id, message.id)).rejects.toMatchObject({
      kind: 'cannot_interrupt',
      messages: ['Cannot interrupt when session is failed. Session must be running, waiting, or needs_input.'],
    })
    expect(await messages(id)).toMatchObject([{ status: 'pending', position: 1 }])
    await archiveSession(app.host.app, { id }, { force: true })
    await expect(interrupt(id, message.id)).rejects.toMatchObject({ kind: 'message_taken' })
  })
})

describe('a turn that is interrupted before its agent has received the prompt', () => {
  test('a turn that is interrupted before its agent has received the prompt has its prompt delivered once, after the interrupting prompt', async () => {
    makeNextAgentIgnorePrompt()
    const id = await create(doing('unheard-1'))
    await reaches(id, 'running')
    await say(id, doing('unheard-0'), { isImmediate: true })
    await isDone('unheard-1')
    await settled(id)
    await reaches(id, 'needs_input')
    expect((await done()).filter((word) => word.startsWith('unheard'))).toEqual(['unheard-0', 'unheard-1'])
  })

  test('a turn that is interrupted before its agent has received the prompt returns a queued message to its own row, so that each message stays one row', async () => {
    const id = await rested()
    makeNextAgentIgnorePrompt()
    const message = await queue(id, doing('returned-1'))
    await reaches(id, 'running')
    await say(id, doing('returned-0'), { isImmediate: true })
    await isDone('returned-1')
    await settled(id)
    expect((await messages(id)).map((row) => [row.content, row.status])).toEqual(
      expect.arrayContaining([
        [message.content, 'sent'],
        [doing('returned-0'), 'sent'],
      ]),
    )
    expect(await messages(id)).toHaveLength(2)
    expect((await done()).filter((word) => word.startsWith('returned'))).toEqual(['returned-0', 'returned-1'])
  })

  test('a turn that is interrupted before its agent has received the prompt keeps its prompt as an undelivered message if the session is archived in the meantime', async () => {
    makeNextAgentIgnorePrompt()
    const id = await create(doing('put-away'))
    await reaches(id, 'running')
    await say(id, 'say urgent', { isImmediate: true })
    await archiveSession(app.host.app, { id }, { force: true })
    await settled(id)
    await eventually(
      () => messages(id),
      (rows) => rows.some(({ content }) => content === doing('put-away')),
    )
    expect((await messages(id)).map(({ status }) => status)).toEqual(['undelivered', 'undelivered'])
    expect(await done()).not.toContain('put-away')
    expect((await turns(id)).every(({ outcome }) => outcome === 'interrupted')).toBe(true)
  })
})
