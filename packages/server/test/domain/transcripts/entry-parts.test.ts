import { describe, expect, test } from 'vitest'
import { assistantText, toolUsesIn } from '../../../src/domain/transcripts/transcript.ts'

const alpha = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: ' hello ' }] } }
const beta = {
  type: 'response_item',
  payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] },
}

describe('what an agent says in a line', () => {
  test.each([
    ['of the first kind', alpha, 'hello'],
    ['of the second kind', beta, 'hello'],
    ['in plain words', { type: 'assistant', message: { content: 'hello' } }, 'hello'],
    ['without words', { type: 'assistant', message: { content: [{ type: 'thinking', thinking: 'hm' }] } }, ''],
    ['of somebody else', { type: 'user', message: { role: 'user', content: 'the "assistant" said' } }, ''],
    ['that quotes one', { type: 'user', message: { role: 'user', content: JSON.stringify(alpha) } }, ''],
  ])('%s', (_what, entry, text) => {
    expect(assistantText(JSON.stringify(entry))).toBe(text)
  })

  test('that is no JSON is nothing', () => {
    expect(assistantText('{"type":"assistant",')).toBe('')
  })
})

test.each([
  [{ type: 'assistant', message: { content: [{ type: 'tool_use' }, { type: 'text' }, { type: 'tool_use' }] } }, 2],
  [{ type: 'tool_use', name: 'run' }, 1],
  [{ type: 'response_item', payload: { type: 'function_call', name: 'shell' } }, 1],
  [{ type: 'response_item', payload: { type: 'function_call_output' } }, 0],
  [{ type: 'user', message: { content: 'tool_use' } }, 0],
])('%j uses tools %i times', (entry, count) => {
  expect(toolUsesIn(JSON.stringify(entry))).toBe(count)
})
