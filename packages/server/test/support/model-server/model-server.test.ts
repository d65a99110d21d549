import { describe, expect, test } from 'vitest'
import { modelServer } from '../../agents/support/model-server.ts'

const model = modelServer()

describe('the script', () => {
  test('lines up to a call are one answer, and the rest follows the result', async () => {
    const prompt = 'think Hm\nsay First\nrun ls\nsay Second'
    const first = await ask([user(prompt)])
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'First' },
      { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
    ])
    expect(first.stop_reason).toBe('tool_use')
    const second = await ask([user(prompt), called('toolu_1'), result('toolu_1')])
    expect(second).toMatchObject({ content: [{ type: 'text', text: 'Second' }], stop_reason: 'end_turn' })
  })

  test('the script echoes a line that is no command, and ends a script that ends in a call with Done', async () => {
    expect(await ask([user('Hello\nwait for me')])).toMatchObject({
      content: [{ text: 'You said: Hello\nYou said: wait for me' }],
    })
    expect(await ask([user('run ls'), called('toolu_1'), result('toolu_1')])).toMatchObject({
      content: [{ text: 'Done.' }],
    })
  })

  test("the script ignores the CLI's wrapping of a prompt", async () => {
    const wrapped = [
      { type: 'text', text: '<system-reminder>\nsay nothing\n</system-reminder>' },
      { type: 'text', text: 'say Old, never answered' },
      { type: 'text', text: '[Request interrupted by user for tool use]' },
      { type: 'text', text: '<note kind="x">run rm</note>\nsay New\n<env>\n<cwd>/</cwd>\n</env>' },
    ]
    expect(await ask([user(wrapped)])).toMatchObject({ content: [{ text: 'New' }] })
  })

  test('the script finds a tool by the end of its name, and reports a missing one', async () => {
    expect(await ask([user('tool shout {"text":"a"}')])).toMatchObject({
      content: [{ type: 'tool_use', name: 'mcp__echo__shout', input: { text: 'a' } }],
    })
    expect(await ask([user('tool whisper {}')])).toMatchObject({
      content: [{ text: 'No tool for whisper is on offer.' }],
    })
  })

  test('the script fails an answer as often as scripted, and again in the next conversation', async () => {
    for (const status of [529, 529, 200, 529]) expect((await post([user('fail 529 2\nsay Up')])).status).toBe(status)
  })

  test('the script ends an answer at the limit on output tokens', async () => {
    expect(await ask([user('say Half\ncut')])).toMatchObject({
      content: [{ text: 'Half' }],
      stop_reason: 'max_tokens',
    })
  })

  test('the script reports the scripted tokens', async () => {
    expect(await ask([user('usage 7 8 9 10\nsay Counted')])).toMatchObject({
      usage: { input_tokens: 7, output_tokens: 8, cache_read_input_tokens: 9, cache_creation_input_tokens: 10 },
    })
  })

  test('the script answers a request for a title or for one token without using the script', async () => {
    expect(await ask([user('run ls')], { tools: [] })).toMatchObject({ stop_reason: 'end_turn' })
    expect(await ask([user('quota')], { max_tokens: 1 })).toMatchObject({ stop_reason: 'end_turn' })
    expect(model.requests.at(-1)).toMatchObject({ isSideCall: true })
  })
})

describe('errors', () => {
  test.each([
    { key: 'bad-key', name: 'm', status: 401, error: { type: 'authentication_error' } },
    { key: 'no-quota', name: 'm', status: 429, error: { type: 'rate_limit_error' } },
    {
      key: 'fine',
      name: 'missing-model',
      status: 404,
      error: { type: 'not_found_error', message: 'model: missing-model' },
    },
  ])('key $key and model $name get $status', async ({ key, name, status, error }) => {
    const answer = await post([user('say Hi')], { model: name }, key)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ type: 'error', error })
  })
})

test('records a request without its key', async () => {
  await ask([user('say Noted')])
  expect(model.requests.at(-1)).toMatchObject({
    format: 'messages',
    model: 'claude-scripted',
    prompt: 'say Noted',
    tools: ['Bash', 'mcp__echo__shout'],
    headers: { 'x-api-key': '[key]' },
    status: 200,
  })
})

describe('streams', () => {
  test('Messages: every chunk arrives in order', async () => {
    const text = await streamed('/v1/messages', { messages: [user('long 300')], tools })
    const pieces = events(text).flatMap((event) => event.delta?.text ?? [])
    expect(pieces.join('')).toHaveLength(300)
    expect(text).toContain('event: message_stop')
  })

  test('Responses: runs a shell command through a freeform tool', async () => {
    const exec = { type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec' }] }
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [exec] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'say Go\nrun ls' }] },
    ]
    const text = await streamed('/v1/responses', { input })
    expect(events(text).at(-1)?.response?.output).toMatchObject([
      { type: 'message', content: [{ text: 'Go' }] },
      { type: 'custom_tool_call', namespace: 'functions', name: 'exec', input: expect.stringContaining('"cmd":"ls"') },
    ])
  })

  test('Chat Completions: streams text, a call and usage', async () => {
    const shell = { function: { name: 'run_shell_command', parameters: { properties: { command: {} } } } }
    const messages = [{ role: 'user', content: 'say Go\nrun ls' }]
    const chunks = events(await streamed('/v1/chat/completions', { messages, tools: [shell] }))
    expect(chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join('')).toBe('Go')
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
    expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 100, completion_tokens: 20 } })
  })
})

const tools = [
  { name: 'Bash', input_schema: { properties: { command: { type: 'string' } } } },
  { name: 'mcp__echo__shout', input_schema: {} },
]

function user(content: unknown) {
  return { role: 'user', content }
}

function called(id: string) {
  return { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] }
}

function result(id: string) {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'say not me' }] }
}

function post(messages: unknown[], more: Record<string, unknown> = {}, key = 'key'): Promise<Response> {
  return fetch(`${model.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: JSON.stringify({ model: 'claude-scripted', messages, tools, ...more }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON came back
async function ask(messages: unknown[], more?: Record<string, unknown>): Promise<any> {
  return (await post(messages, more)).json()
}

async function streamed(path: string, body: Record<string, unknown>): Promise<string> {
  const whole = JSON.stringify({ model: 'scripted', stream: true, ...body })
  return (await fetch(model.url + path, { method: 'POST', body: whole })).text()
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function events(text: string): any[] {
  return [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json))
}
