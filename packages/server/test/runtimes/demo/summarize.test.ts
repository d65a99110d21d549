import { expect, test } from 'vitest'
import { readConversation, readTranscript, summaryOf } from '../../../src/runtimes/demo/summarize.ts'

test('summarizes a rendered conversation by its length and its last messages', () => {
  const conversation = [
    '<conversation-0a1b>',
    '--- User ---',
    'run ls',
    'say done',
    '--- Assistant ---',
    '[tool_use: run] {"command":"ls"}',
    '--- User ---',
    '[tool_result] README.md',
    '--- Assistant ---',
    'done',
    '</conversation-0a1b>',
  ].join('\n')
  expect(summaryOf(readConversation(conversation))).toBe(
    'There are 4 messages. Tools were used once. The last request was "run ls; say done". The last answer was "done".',
  )
})

test('summarizes a transcript file and skips unreadable lines', () => {
  const lines = [
    JSON.stringify({ type: 'user', message: { content: 'say hello' } }),
    '{"broken',
    JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: 'hello' }] } }),
    JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', name: 'run' }] } }),
  ]
  expect(summaryOf(readTranscript(lines.join('\n')))).toBe(
    'There are 3 messages. Tools were used once. The last request was "say hello". The last answer was "hello".',
  )
})

test('summarizes an empty conversation', () => {
  expect(summaryOf(readConversation(''))).toBe('Nothing has been said yet.')
})
