import { describe, expect, test } from 'vitest'
import { readableEntry } from '../../../src/runtimes/alpha/readable.ts'
import { isWorthKeeping, showsReceipt } from '../../../src/runtimes/alpha/transcript.ts'
import { usageOf } from '../../../src/runtimes/alpha/usage.ts'

const prompt = { type: 'user', uuid: 'u1', isSidechain: false, message: { role: 'user', content: 'Do it' } }
const answer = {
  ...{ type: 'assistant', uuid: 'u2', isSidechain: false, timestamp: '2026-01-02T03:04:05.678Z', requestId: 'req_1' },
  message: {
    ...{ id: 'msg_1', model: 'claude-opus-4-8', role: 'assistant', content: [{ type: 'text', text: 'Done' }] },
    usage: {
      ...{ input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 9 },
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      server_tool_use: { web_search_requests: 6, web_fetch_requests: 7 },
      service_tier: 'standard',
    },
  },
}
const withContent = (content: unknown) => ({ ...prompt, message: { role: 'user', content } })

describe('a receipt', () => {
  test.each([
    [prompt],
    [withContent([{ type: 'text', text: 'Do it' }])],
    [withContent([{ type: 'image' }, { type: 'text', text: 'See?' }])],
    [answer],
  ])('a receipt is shown by %j', (entry) => {
    expect(showsReceipt(JSON.stringify(entry))).toBe(true)
  })

  test.each([
    [{ type: 'queue-operation', operation: 'enqueue', content: 'Do it' }],
    [{ type: 'attachment', uuid: 'u', attachment: { type: 'skill_listing' } }],
    [{ ...prompt, isMeta: true }],
    [{ ...prompt, isSidechain: true }],
    [withContent([{ type: 'tool_result', tool_use_id: 't', content: 'x' }])],
    [withContent([{ type: 'text', text: '[Request interrupted by user for tool use]' }])],
    ['{"type":"user","message":{"content":"Do'],
  ])('a receipt is not shown by %j', (entry) => {
    expect(showsReceipt(typeof entry === 'string' ? entry : JSON.stringify(entry))).toBe(false)
  })
})

describe('isWorthKeeping keeps', () => {
  test.each([[prompt], [answer], [{ type: 'of_tomorrow' }], [{ type: 'summary', summary: 'x' }]])(
    'isWorthKeeping keeps %j',
    (entry) => {
      expect(isWorthKeeping(JSON.stringify(entry))).toBe(true)
    },
  )

  test('isWorthKeeping keeps an unreadable line', () => {
    expect(isWorthKeeping('{"type":"user"')).toBe(true)
  })

  test.each(['queue-operation', 'last-prompt', 'mode', 'file-history-snapshot', 'api-request-blob', 'cost-state'])(
    'isWorthKeeping drops the bookkeeping of %s',
    (type) => {
      expect(isWorthKeeping(JSON.stringify({ type, sessionId: '1' }))).toBe(false)
    },
  )
})

describe('usageOf', () => {
  test('usageOf reads every number', () => {
    expect(usageOf(JSON.stringify(answer))).toEqual({
      ...{ request_id: 'req_1', model: 'claude-opus-4-8', called_at: new Date('2026-01-02T03:04:05.678Z') },
      ...{ subagent: false, input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_creation_tokens: 9 },
      ...{ cache_creation_5m_tokens: 4, cache_creation_1h_tokens: 5, web_search_requests: 6, web_fetch_requests: 7 },
      service_tier: 'standard',
    })
  })

  test('usageOf gives cache writes whose lifetime is not reported no lifetime', () => {
    const usage = { input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 9 }
    const line = JSON.stringify({ ...answer, message: { ...answer.message, usage } })
    expect(usageOf(line)).toMatchObject({
      cache_creation_tokens: 9,
      cache_creation_5m_tokens: 0,
      cache_creation_1h_tokens: 0,
    })
  })

  test('usageOf uses the message id if the provider sends no request id', () => {
    expect(usageOf(JSON.stringify({ ...answer, requestId: undefined }))?.request_id).toBe('msg_1')
  })

  test("usageOf marks a subagent's usage", () => {
    expect(usageOf(JSON.stringify({ ...answer, isSidechain: true }))?.subagent).toBe(true)
  })

  test.each([
    [prompt],
    [{ ...answer, message: { ...answer.message, model: '<synthetic>' } }],
    [{ ...answer, timestamp: 'yesterday' }],
    [{ ...answer, message: { usage: 'much' } }],
  ])('usageOf finds no usage in %j', (entry) => {
    expect(usageOf(JSON.stringify(entry))).toBeUndefined()
  })
})

describe('a command of the CLI', () => {
  const command = withContent(
    '<command-name>/context</command-name>\n            <command-message>context</command-message>\n            <command-args>all of it</command-args>',
  )
  const output = (content: string) => ({ type: 'system', subtype: 'local_command', uuid: 'u3', content })

  test('a command of the CLI is shown as the caller wrote it', () => {
    expect(readableEntry(JSON.stringify(command))).toEqual({
      type: 'user',
      message: { content: '/context all of it' },
    })
  })

  test('a command of the CLI shows its output without the markup of the CLI, which proves that the CLI got the command', () => {
    const line = JSON.stringify(output('<local-command-stdout>27k of 200k</local-command-stdout>'))
    expect(readableEntry(line)).toEqual({ type: 'user', isMeta: true, message: { content: '27k of 200k' } })
    expect(showsReceipt(line)).toBe(true)
  })

  test("a command of the CLI hides the CLI's own note about commands and an empty output", () => {
    const note = withContent('<local-command-caveat>Caveat: DO NOT respond</local-command-caveat>')
    expect(readableEntry(JSON.stringify({ ...note, isMeta: true }))).toBeUndefined()
    expect(readableEntry(JSON.stringify(output('<local-command-stdout></local-command-stdout>')))).toBeUndefined()
  })
})
