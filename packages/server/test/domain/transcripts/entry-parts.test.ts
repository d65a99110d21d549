import { describe, expect, test } from 'vitest'
import { assistantText, toolUsesIn } from '../../../src/domain/transcripts/transcript.ts'

const alpha = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: ' hello ' }] } }
const beta = {
  type: 'response_item',
  payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] },
}

describe('the assistant text of a line', () => {
  test.each([
    ['is the text block of an alpha entry', alpha, 'hello'],
    ['is the output_text block of a beta entry', beta, 'hello'],
    [
      'is the content of an entry whose content is a string',
      { type: 'assistant', message: { content: 'hello' } },
      'hello',
    ],
    [
      'is empty for an entry that only thinks',
      { type: 'assistant', message: { content: [{ type: 'thinking', thinking: 'hm' }] } },
      '',
    ],
    [
      'is empty for an entry of the user',
      { type: 'user', message: { role: 'user', content: 'the "assistant" said' } },
      '',
    ],
    [
      'is empty for an entry of the user that quotes an assistant entry',
      { type: 'user', message: { role: 'user', content: JSON.stringify(alpha) } },
      '',
    ],
  ])('the assistant text %s', (_what, entry, text) => {
    expect(assistantText(JSON.stringify(entry))).toBe(text)
  })

  test('the assistant text of a line is empty for a line that is not JSON', () => {
    expect(assistantText('{"type":"assistant",')).toBe('')
  })
})

test.each([
  [{ type: 'assistant', message: { content: [{ type: 'tool_use' }, { type: 'text' }, { type: 'tool_use' }] } }, 2],
  [{ type: 'tool_use', name: 'run' }, 1],
  [{ type: 'response_item', payload: { type: 'function_call', name: 'shell' } }, 1],
  [{ type: 'response_item', payload: { type: 'function_call_output' } }, 0],
  [{ type: 'user', message: { content: 'tool_use' } }, 0],
])('the entry %j contains %i tool calls', (entry, count) => {
  expect(toolUsesIn(JSON.stringify(entry))).toBe(count)
})
