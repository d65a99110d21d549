import { expect, test } from 'vitest'
import { readOutput } from '../../../src/runtimes/alpha/read-output.ts'

const result = { type: 'result', is_error: false, result: 'Done.' }
const retry = (attempt: number, status: number | null) => ({
  ...{ type: 'system', subtype: 'api_retry', attempt, max_retries: 10, retry_delay_ms: 500 },
  ...{ error_status: status, error: 'overloaded' },
})

test('every line counts as activity, and unreadable or unknown ones are ignored', async () => {
  const it = await hear(
    'no JSON',
    '[1]',
    'null',
    { type: 'stream_event' },
    { type: 'of_tomorrow' },
    '{"type":"result"',
    result,
  )
  expect(it.activity).toBe(7)
  expect(it.heard.result).toMatchObject({ isError: false, text: 'Done.' })
  expect(it.notices).toEqual([])
  expect(it.isHungUp).toBe(true)
})

test('a result without `is_error: false` is an error', async () => {
  expect((await hear({ type: 'result' })).heard.result).toMatchObject({ isError: true })
})

test('the last of several results counts', async () => {
  const it = await hear(result, { ...result, is_error: true, result: 'After all not.' })
  expect(it.heard.result).toMatchObject({ isError: true, text: 'After all not.' })
})

test('retries are logged with their number', async () => {
  const { notices } = await hear(retry(1, 529), retry(2, null))
  expect(notices).toEqual([
    'The call to the model failed (status 529, overloaded); attempt 2 of 11 follows.',
    'The call to the model failed (no answer, overloaded); attempt 3 of 11 follows.',
  ])
})

test('interrupts the turn after a second rejected sign-in, not after the first', async () => {
  expect((await hear(retry(1, 401))).heard.earlyEnd).toBeUndefined()
  const { heard, said } = await hear(retry(1, 401), retry(2, 401), retry(3, 401))
  expect(heard.earlyEnd).toMatchObject({ kind: 'failed', reason: 'auth', detail: expect.stringContaining('401') })
  expect(said).toMatchObject([{ type: 'control_request', request: { subtype: 'interrupt' } }])
})

test('names the MCP servers that did not start, and reports those that ask for a sign-in', async () => {
  const servers = ['connected', 'failed', 'needs-auth', 'disabled'].map((status) => ({ name: `is-${status}`, status }))
  const { notices, unauthorized } = await hear({ type: 'system', subtype: 'init', mcp_servers: servers })
  expect(unauthorized).toEqual(['is-needs-auth'])
  expect(notices).toEqual([
    expect.stringMatching(/MCP server is-failed: it did not start .* MCP server is-needs-auth: it asks for a sign-in/),
  ])
})

test('declines known questions and rejects unknown ones, so that no turn waits forever', async () => {
  const ask = (subtype: string, more = {}) => ({
    type: 'control_request',
    request_id: subtype,
    request: { subtype, ...more },
  })
  const { said, notices } = await hear(
    ask('elicitation', { mcp_server_name: 'tracker', message: 'Which project?' }),
    ask('can_use_tool', { tool_name: 'Bash' }),
    ask('of_tomorrow'),
  )
  expect(said).toMatchObject([
    { response: { subtype: 'success', request_id: 'elicitation', response: { action: 'decline' } } },
    { response: { subtype: 'success', request_id: 'can_use_tool', response: { behavior: 'deny' } } },
    { response: { subtype: 'error', request_id: 'of_tomorrow' } },
  ])
  expect(notices[0]).toContain('tracker asked for an answer (elicitation): Which project?')
  expect(notices).toHaveLength(3)
})

test('logs a usage limit only once it applies', async () => {
  const resetsAt = Math.floor(Date.now() / 1000) + 3600
  const limit = (status: string) => ({ type: 'rate_limit_event', rate_limit_info: { status, resetsAt } })
  const { notices } = await hear(limit('allowed'), limit('allowed_warning'))
  expect(notices).toEqual([expect.stringMatching(/allowed_warning/)])
  expect(notices[0]).toContain(new Date(resetsAt * 1000).toISOString())
})

test.each([1e300, -1, 1_800_000_000_000])(
  'a usage limit that ends at an impossible time (%d) is told without it',
  async (resetsAt) => {
    const info = { status: 'rejected', resetsAt }
    const { notices } = await hear({ type: 'rate_limit_event', rate_limit_info: info })
    expect(notices).toEqual([expect.not.stringContaining('ends at')])
  },
)

async function hear(...events: unknown[]) {
  async function* lines() {
    for (const event of events)
      yield { text: typeof event === 'string' ? event : JSON.stringify(event), truncatedBytes: 0 }
  }
  const said: unknown[] = []
  const notices: string[] = []
  const seen: string[] = []
  const unauthorized: string[] = []
  const heard = await readOutput(
    { lines: lines() },
    {
      onActivity: () => void seen.push('activity'),
      onNotice: (sentence) => void notices.push(sentence),
      onUnauthorized: (name) => void unauthorized.push(name),
    },
    { send: (text) => void said.push(JSON.parse(text)), close: () => void seen.push('hung up') },
  )
  const activity = seen.filter((what) => what === 'activity').length
  return { heard, said, notices, unauthorized, activity, isHungUp: seen.includes('hung up') }
}
