import { expect, test } from 'vitest'
import { readableEntry } from '../../../src/runtimes/beta/readable.ts'
import { lines, rolloutLine } from './rollout-lines.ts'

test('converts rollout lines to messages, thinking, tool calls and results', () => {
  const { prompt, thought, call, result, customCall, answer } = lines
  expect([prompt, thought, call, result, customCall, answer].map(readableEntry)).toEqual([
    { type: 'user', message: { content: [{ type: 'text', text: '<b>Do it</b>' }] } },
    { type: 'assistant', message: { content: [{ type: 'thinking', thinking: 'Hm' }] } },
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 'call_1', name: 'exec_command', input: { cmd: 'ls' } }] },
    },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'README.md' }] } },
    {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 'call_2', name: 'functions.exec', input: 'text(1)' }] },
    },
    { type: 'assistant', message: { content: [{ type: 'text', text: 'Done.' }] } },
  ])
})

test('shows the end of a turn as a notice', () => {
  const failed = rolloutLine('event_msg', { type: 'task_complete', error: { message: 'No more tokens.' } })
  const aborted = rolloutLine('event_msg', { type: 'turn_aborted', reason: 'interrupted' })
  const summedUp = rolloutLine('compacted', { message: 'They met.', replacement_history: [] })
  expect([failed, aborted, summedUp].map((line) => readableEntry(line)?.message.content)).toEqual([
    [{ type: 'text', text: 'The turn failed. No more tokens.' }],
    [{ type: 'text', text: 'The turn was ended early (interrupted).' }],
    [{ type: 'text', text: 'The conversation so far was summarized. They met.' }],
  ])
})

test('joins a result in several pieces and marks an image', () => {
  const pieces = [
    { type: 'input_text', text: 'one' },
    { type: 'input_text', text: 'two' },
  ]
  const result = rolloutLine('response_item', { type: 'custom_tool_call_output', call_id: 'c', output: pieces })
  expect(readableEntry(result)?.message.content).toEqual([
    { type: 'tool_result', tool_use_id: 'c', content: 'one\ntwo' },
  ])
  const picture = {
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_image', image_url: 'data:' },
      { type: 'input_text', text: 'Look' },
    ],
  }
  expect(readableEntry(rolloutLine('response_item', picture))?.message.content).toEqual([
    { type: 'image' },
    { type: 'text', text: 'Look' },
  ])
})

test('shows nothing for bookkeeping lines', () => {
  const { head, tools, developer, environment, context, usage, count, started, completed } = lines
  for (const line of [head, tools, developer, environment, context, usage, count, started, completed, 'no JSON']) {
    expect(readableEntry(line), line).toBeUndefined()
  }
})
