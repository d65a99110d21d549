import { afterEach, expect, test } from 'vitest'
import { answerForm, answerPermission } from '../../../src/runtimes/acp/permission.ts'
import type { Question, QuestionAnswer } from '../../../src/runtimes/question.ts'
import { eventually } from '../../support/vitest/eventually.ts'
import { type ScriptedSession, scriptedSession } from './scripted-session.ts'

let session: ScriptedSession
afterEach(() => session.remove())

/** A person who answers every question like this. */
function person(answer: QuestionAnswer) {
  const asked: Question[] = []
  const ask = async (question: Question): Promise<QuestionAnswer> => {
    asked.push(question)
    return answer
  }
  return { asked, ask }
}

test.each([
  [{ action: 'accept', content: {} }, 'allow_once-id'],
  [{ action: 'decline' }, 'reject_once-id'],
  [{ action: 'expired' }, 'reject_once-id'],
] as const)('a permission request that a person answers %j gets %s', async (answer, option) => {
  session = await scriptedSession()
  const { asked, ask } = person(answer)
  const call = { toolCallId: 'c1', title: 'delete everything', kind: 'execute', rawInput: { command: 'rm -r .' } }
  expect(await session.run(`permit ${JSON.stringify(call)}`, { ask })).toEqual({ kind: 'completed' })
  expect((await session.said()).at(-1)).toBe(`text: got ${option}`)
  expect(asked).toEqual([
    {
      message: 'May the agent use execute? delete everything {"command":"rm -r ."}',
      toolName: 'execute',
      schema: { type: 'object', properties: {} },
      input: '{"title":"delete everything","rawInput":{"command":"rm -r ."}}',
    },
  ])
})

test('an elicitation of the agent is asked and its answer passed on', async () => {
  session = await scriptedSession()
  const { asked, ask } = person({ action: 'accept', content: {} })
  await session.run('question Which one?', { ask })
  expect((await session.said()).at(-1)).toBe('text: got accept')
  expect(asked).toMatchObject([{ message: 'Which one?', schema: { type: 'object' } }])
  expect(session.notices).toEqual([])
})

test("the operator's mode is not selected where people decide", async () => {
  session = await scriptedSession({ agent: { mode: 'free' } })
  const { ask } = person({ action: 'decline' })
  await session.run('say hello', { ask })
  expect(await session.requests('session/set_mode')).toEqual([])
})

test('an agent is told that it may ask where people answer, and only there', async () => {
  session = await scriptedSession()
  await session.run('say hello', { ask: person({ action: 'decline' }).ask })
  await session.run('say hello')
  const offered = (await session.requests('initialize')).map(
    ({ params }) => Object(params.clientCapabilities).elicitation,
  )
  expect(offered).toEqual([{ form: {} }, undefined])
})

test('a person who accepts one call permits no further ones, and an unattended turn may', () => {
  const options = [{ kind: 'allow_always', optionId: 'always', name: 'Always' }] as const
  expect(answerPermission(options, { isGranted: true, isAsked: true })).toEqual({ outcome: { outcome: 'cancelled' } })
  expect(answerPermission(options, { isGranted: true, isAsked: false })).toEqual({
    outcome: { outcome: 'selected', optionId: 'always' },
  })
})

test('an elicitation that asks to open an address shows the address', async () => {
  const { asked, ask } = person({ action: 'accept', content: {} })
  const params = { mode: 'url', message: 'Sign in', url: 'https://pay.test/1', elicitationId: 'e', sessionId: 's' }
  await answerForm(ask, params as Parameters<typeof answerForm>[1], new AbortController().signal)
  expect(asked).toMatchObject([{ message: 'Sign in\nOpen this address: https://pay.test/1' }])
})

test('an interrupt withdraws the question', async () => {
  session = await scriptedSession()
  let signal: AbortSignal | undefined
  const ask = (_: Question, given?: AbortSignal): Promise<QuestionAnswer> => {
    signal = given
    return new Promise((resolve) => given?.addEventListener('abort', () => resolve({ action: 'cancel' })))
  }
  const running = await session.begin('ask to go on', { ask })
  await eventually(
    async () => signal,
    (given) => given !== undefined,
  )
  await running.interrupt()
  expect(await running.ended).toEqual({ kind: 'interrupted' })
  expect(signal?.aborted).toBe(true)
})
