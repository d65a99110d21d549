import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readEvent } from '../../../src/runtimes/alpha/protocol.ts'
import { questionDesk } from '../../../src/runtimes/alpha/questions.ts'
import type { Question, QuestionAnswer } from '../../../src/runtimes/question.ts'

/** The desk with a person who answers each question like this, and what the CLI is told. */
function desk(answer: QuestionAnswer | ((signal: AbortSignal | undefined) => Promise<QuestionAnswer>)) {
  const asked: Question[] = []
  const said: { response: { request_id: string; response: Record<string, unknown> } }[] = []
  const questions = questionDesk(
    {
      ask: async (question, signal) => {
        asked.push(question)
        return typeof answer === 'function' ? answer(signal) : answer
      },
      onNotice: () => undefined,
    },
    { send: (text) => void said.push(JSON.parse(text)), close: () => undefined },
  )
  const ask = async (request: Record<string, unknown>) => {
    const event = readEvent(JSON.stringify({ type: 'control_request', request_id: 'r1', request }))
    if (event?.kind !== 'question') throw new Error('not a question')
    await questions.answer(event)
    return said.at(-1)?.response.response
  }
  return { ask, asked, said, questions }
}

const bash = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'rm -r build' } }

test('a permission request is a question, and accepting it allows the tool with its input', async () => {
  const { ask, asked } = desk({ action: 'accept', content: {} })
  expect(await ask(bash)).toEqual({ behavior: 'allow', updatedInput: { command: 'rm -r build' } })
  expect(asked).toEqual([
    {
      message: 'May Claude Code use Bash? rm -r build',
      toolName: 'Bash',
      context: undefined,
      schema: { type: 'object', properties: {} },
      input: '{"command":"rm -r build"}',
    },
  ])
})

test.each([
  ['decline', /A person declined this/],
  ['cancel', /dismissed/],
  ['expired', /No person answered in time/],
] as const)('a permission request that is answered %s is denied, and the agent is told why', async (action, why) => {
  expect(await desk({ action }).ask(bash)).toEqual({ behavior: 'deny', message: expect.stringMatching(why) })
})

const options = [
  { label: 'Red', description: 'Like fire' },
  { label: 'Blue', description: 'Like the sea' },
]
const colour = { question: 'Which colour?', header: 'Colour', options, multiSelect: false }

test('AskUserQuestion is a form with its options, and the answers go back in the input of the tool', async () => {
  const input = { questions: [colour] }
  const { ask, asked } = desk({ action: 'accept', content: { answer: 'Blue' } })
  expect(await ask({ subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input })).toEqual({
    behavior: 'allow',
    updatedInput: { ...input, answers: { 'Which colour?': 'Blue' } },
  })
  expect(asked).toMatchObject([
    {
      message: 'Which colour?',
      schema: {
        required: ['answer'],
        properties: {
          answer: {
            type: 'string',
            enum: ['Red', 'Blue'],
            title: 'Colour',
            description: 'Which colour?\nRed: Like fire\nBlue: Like the sea',
          },
        },
      },
    },
  ])
})

test('AskUserQuestion with several questions has a field for each, and a list where several options may be chosen', async () => {
  const input = { questions: [colour, { ...colour, question: 'Which others?', multiSelect: true }] }
  const { ask, asked } = desk({ action: 'accept', content: { answer_1: 'Red', answer_2: ['Red', 'Blue'] } })
  expect(await ask({ subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input })).toMatchObject({
    updatedInput: { answers: { 'Which colour?': 'Red', 'Which others?': 'Red, Blue' } },
  })
  expect(asked).toMatchObject([
    { schema: { properties: { answer_2: { type: 'array', items: { enum: ['Red', 'Blue'] } } } } },
  ])
})

test.each([
  [
    { action: 'accept', content: { project: 'x' } },
    { action: 'accept', content: { project: 'x' } },
  ],
  [{ action: 'decline' }, { action: 'decline' }],
  [{ action: 'expired' }, { action: 'decline' }],
] as const)('an elicitation of an MCP server that is answered %j gets %j', async (answer, told) => {
  const requested_schema = { type: 'object', properties: { project: { type: 'string' } } }
  const { ask, asked } = desk(answer as QuestionAnswer)
  const request = { subtype: 'elicitation', mcp_server_name: 'tracker', message: 'Which project?', requested_schema }
  expect(await ask(request)).toEqual(told)
  expect(asked).toEqual([{ message: 'Which project?', toolName: 'tracker', schema: requested_schema }])
})

test('a question that the CLI withdraws is withdrawn from people too, and gets no answer', async () => {
  const { ask, said, questions } = desk(
    (signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ action: 'cancel' }))),
  )
  const answered = ask(bash)
  await tick()
  questions.withdraw('r1')
  await answered
  expect(said).toEqual([])
})

test.each([
  ['Bash', { command: 'make', run_in_background: true }, 'make\nWith {"run_in_background":true}'],
  ['Write', { file_path: 'a.sh', content: 'rm -r /' }, 'a.sh\nWith {"content":"rm -r /"}'],
  [
    'mcp__db__run',
    { command: 'select 1', file_path: 'x', user: 'root' },
    'select 1\nWith {"user":"root","file_path":"x"}',
  ],
  ['WebFetch', { url: 'https://a.test' }, '{"url":"https://a.test"}'],
])(
  'a permission request for %s shows every argument, because accepting grants them all',
  async (tool_name, input, text) => {
    const { ask, asked } = desk({ action: 'accept', content: {} })
    expect(await ask({ subtype: 'can_use_tool', tool_name, input })).toMatchObject({ updatedInput: input })
    expect(asked).toMatchObject([
      { message: `May Claude Code use ${tool_name}? ${text}`, input: JSON.stringify(input) },
    ])
  },
)

test('an elicitation that asks to open an address shows the address, and has no form', async () => {
  const { ask, asked } = desk({ action: 'accept', content: {} })
  await ask({
    subtype: 'elicitation',
    mcp_server_name: 'pay',
    message: 'Sign in',
    mode: 'url',
    url: 'https://pay.test/1',
  })
  expect(asked).toEqual([
    {
      message: 'Sign in\nOpen this address: https://pay.test/1',
      toolName: 'pay',
      schema: { type: 'object', properties: {} },
    },
  ])
})
