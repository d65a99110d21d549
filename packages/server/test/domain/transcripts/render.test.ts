import { describe, expect, test } from 'vitest'
import { parallelCalls } from '../../../src/domain/transcripts/parallel-calls.ts'
import { renderLine, renderReadable } from '../../../src/domain/transcripts/render.ts'
import { readableEntry as readableClaude } from '../../../src/runtimes/alpha/readable.ts'
import { readableEntry as readableCodex } from '../../../src/runtimes/beta/readable.ts'
import { lines as rollout } from '../../runtimes/beta/rollout-lines.ts'

const render = (entry: unknown): string => renderLine(JSON.stringify(entry))

type Row = [what: string, entry: unknown, header: string, body: string]

describe('an entry is rendered as a header, a body and a newline', () => {
  const rows: Row[] = [
    ['user', { type: 'user', message: { role: 'user', content: 'Hello' } }, 'User', 'Hello'],
    [
      'user, isMeta',
      { type: 'user', isMeta: true, message: { content: 'Caveat' } },
      'Runtime Notice (agent runtime, not a person)',
      'Caveat',
    ],
    [
      'user, interruptedByShutdown',
      { type: 'user', interruptedByShutdown: true, message: { content: 'Stopped' } },
      'Runtime Notice (agent runtime, not a person)',
      'Stopped',
    ],
    [
      'user with flags that are not the boolean true',
      { type: 'user', isMeta: 'true', interruptedByShutdown: 1, message: { content: 'Hello' } },
      'User',
      'Hello',
    ],
    [
      'user with a flag inside the message',
      { type: 'user', message: { isMeta: true, content: 'Hello' } },
      'User',
      'Hello',
    ],
    ['assistant', { type: 'assistant', message: { content: 'Hi' } }, 'Assistant', 'Hi'],
    ['an entry that is its own message', { type: 'assistant', content: 'Hi' }, 'Assistant', 'Hi'],
    [
      'an entry whose message is not an object',
      { type: 'assistant', message: 'x', content: 'own content' },
      'Assistant',
      'own content',
    ],
    [
      'an entry whose message is a list',
      { type: 'assistant', message: ['x'], content: 'own content' },
      'Assistant',
      'own content',
    ],
    [
      'tool_use with an input',
      { type: 'tool_use', name: 'Read', input: 'lib/client.x', content: 'unread' },
      'Tool Use: Read',
      'lib/client.x',
    ],
    [
      'tool_use with an input that is an object',
      { type: 'tool_use', name: 'Read', input: { path: 'a' } },
      'Tool Use: Read',
      '{\n  "path": "a"\n}',
    ],
    ['tool_use without an input', { type: 'tool_use', name: 'Read', content: 'content' }, 'Tool Use: Read', 'content'],
    ['tool_use without a name', { type: 'tool_use', input: 'x' }, 'Tool Use: unknown', 'x'],
    ['tool_use inside a message', { type: 'tool_use', message: { name: 'Read', input: 'x' } }, 'Tool Use: Read', 'x'],
    ['tool_result', { type: 'tool_result', content: 'def call ...' }, 'Tool Result', 'def call ...'],
    ['another type', { type: 'file-history-snapshot', content: 'snapshot' }, 'File History Snapshot', 'snapshot'],
    ['another type with underscores', { type: 'queue_operation', content: 'x' }, 'Queue Operation', 'x'],
    ['another type with a role', { type: 'system', role: 'system', content: 'x' }, 'System (system)', 'x'],
    [
      'another type with a role in the message',
      { type: 'progress', message: { role: 'assistant', content: 'x' } },
      'Progress (assistant)',
      'x',
    ],
    [
      'another type without content is rendered as JSON',
      { type: 'summary', summary: 'All is well' },
      'Summary',
      '{"type":"summary","summary":"All is well"}',
    ],
    ['no type', { content: 'x' }, 'Entry', 'x'],
    ['no type with a role', { role: 'user', content: 'x' }, 'Entry (user)', 'x'],
    ['no type, no content', { a: 1 }, 'Entry', '{"a":1}'],
    ['a string', 'hello', 'Unknown', 'hello'],
    ['a number', 7, 'Unknown', '7'],
    ['a list', [1, 'two'], 'Unknown', '[1,"two"]'],
    ['null', null, 'Unknown', 'null'],
    ['true', true, 'Unknown', 'true'],
  ]
  test.each(rows)(
    'a transcript entry is rendered as a header, a body and a newline: %s',
    (_what, entry, header, body) => {
      expect(render(entry)).toBe(`--- ${header} ---\n${body}\n`)
    },
  )
})

describe('content is rendered block by block', () => {
  const contents: [what: string, content: unknown, body: string][] = [
    ['no content', undefined, ''],
    ['null', null, ''],
    ['a string, as it is', '  a\n\n b ', '  a\n\n b '],
    ['a number', 5, '5'],
    ['a boolean', false, 'false'],
    ['an object, as one block', { type: 'text', text: 'x' }, 'x'],
    ['an empty list', [], ''],
    ['text', [{ type: 'text', text: 'x' }], 'x'],
    ['a text block without text', [{ type: 'text' }], ''],
    ['thinking', [{ type: 'thinking', thinking: 'Find the loop first.' }], '[thinking] Find the loop first.'],
    ['image', [{ type: 'image', source: { data: 'iVBORw0' } }], '[image]'],
    [
      'tool_use',
      [{ type: 'tool_use', name: 'Read', input: { path: 'lib/client.x', deep: { a: [1, 2] } } }],
      '[tool_use: Read] {"path":"lib/client.x","deep":{"a":[1,2]}}',
    ],
    ['tool_use without name and input', [{ type: 'tool_use' }], '[tool_use: unknown] {}'],
    ['tool_result with a string', [{ type: 'tool_result', content: 'done' }], '[tool_result] done'],
    [
      'tool_result with blocks',
      [{ type: 'tool_result', content: [{ type: 'text', text: 'a' }, { type: 'image' }] }],
      '[tool_result] a\n[image]',
    ],
    ['tool_result without content', [{ type: 'tool_result' }], '[tool_result] '],
    ['another type', [{ type: 'server_tool_use', id: 1 }], '{\n  "type": "server_tool_use",\n  "id": 1\n}'],
    ['no type', [{ a: 1 }], '{\n  "a": 1\n}'],
    ['blocks that are not objects', ['plain', 7, null, [1]], 'plain\n7\nnull\n[1]'],
    [
      'several blocks, without the blank ones',
      [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: '' },
        { type: 'text', text: ' \n' },
        { type: 'text', text: 'Done.' },
      ],
      '[thinking] Hm.\nDone.',
    ],
  ]
  test.each(contents)('the content of a transcript entry is rendered block by block: %s', (_what, content, body) => {
    expect(render({ type: 'assistant', message: { content } })).toBe(`--- Assistant ---\n${body}\n`)
  })

  test('names of built-in properties are rendered as types of their own', () => {
    expect(render({ type: '__proto__', content: 'x' })).toBe('--- Proto ---\nx\n')
    expect(render({ type: 'constructor', content: 'x' })).toBe('--- Constructor ---\nx\n')
  })
})

describe('long texts are truncated', () => {
  const characters: [what: string, character: string][] = [
    ['letters', 'x'],
    ['astral characters', '🚂'],
  ]
  const cuts: [what: string, limit: number, entry: (text: string) => unknown, before: string][] = [
    ['a tool result', 500, (text) => ({ type: 'tool_result', content: text }), '--- Tool Result ---\n'],
    [
      'a tool result block',
      500,
      (text) => ({ type: 'user', message: { content: [{ type: 'tool_result', content: text }] } }),
      '--- User ---\n[tool_result] ',
    ],
    ['an entry of another type', 1000, (text) => ({ type: 'progress', content: text }), '--- Progress ---\n'],
    ['an entry without a type', 1000, (text) => ({ content: text }), '--- Entry ---\n'],
  ]
  describe.each(characters)('of %s', (_what, character) => {
    test.each(cuts)('%s of exactly %i characters is not truncated', (_kind, limit, entry, before) => {
      expect(render(entry(character.repeat(limit)))).toBe(`${before}${character.repeat(limit)}\n`)
    })

    test.each(cuts)(
      '%s of more than %i characters is truncated to that length, ending in three dots',
      (_kind, limit, entry, before) => {
        for (const length of [limit + 1, 2 * limit, 10 * limit]) {
          expect(render(entry(character.repeat(length)))).toBe(`${before}${character.repeat(limit - 3)}...\n`)
        }
      },
    )
  })

  test('an entry that is rendered as JSON is truncated to 1,000 characters', () => {
    const text = render({ type: 'summary', summary: 'x'.repeat(2000) })
    const body = text.slice('--- Summary ---\n'.length, -1)
    expect(body).toHaveLength(1000)
    expect(body.endsWith('x...')).toBe(true)
  })

  test('texts of users and of the agent are never truncated', () => {
    for (const type of ['user', 'assistant']) {
      expect(render({ type, message: { content: 'x'.repeat(20_000) } })).toContain('x'.repeat(20_000))
      expect(render({ type, message: { content: [{ type: 'text', text: 'x'.repeat(20_000) }] } })).toContain(
        'x'.repeat(20_000),
      )
    }
  })
})

describe('a line that is not JSON', () => {
  test.each(['', ' ', '{', '{"type": "user"', 'plain words', '{"a":1} x', '\uFFFD'])(
    'the line %j, which is not JSON, is rendered as an empty text',
    (line) => {
      expect(renderLine(line)).toBe('')
    },
  )
})

describe('entries of vendor runtimes', () => {
  test('a Codex rollout is rendered as a conversation, without its internal entries', () => {
    const text = Object.values(rollout)
      .map((line) => renderReadable(readableCodex(line)))
      .filter(Boolean)
      .join('\n')
    expect(text).toBe(
      [
        '--- User ---\n<b>Do it</b>\n',
        '--- Assistant ---\n[thinking] Hm\n',
        '--- Assistant ---\n[tool_use: exec_command] {"cmd":"ls"}\n',
        '--- User ---\n[tool_result] README.md\n',
        '--- Assistant ---\n[tool_use: functions.exec] "text(1)"\n',
        '--- Assistant ---\nDone.\n',
      ].join('\n'),
    )
  })

  test.each([
    [{ type: 'user', uuid: 'a', message: { role: 'user', content: 'Do it' } }, '--- User ---\nDo it\n'],
    [{ type: 'attachment', uuid: 'b', attachment: { type: 'skill_listing', content: '- greet: Greets.' } }, ''],
    [{ type: 'attachment', uuid: 'c', attachment: { type: 'agent_listing_delta', addedTypes: ['Plan'] } }, ''],
    [
      {
        type: 'assistant',
        uuid: 'd',
        message: { content: [{ type: 'tool_use', name: 'Bash', input: { command: 'ls' } }] },
      },
      '--- Assistant ---\n[tool_use: Bash] {"command":"ls"}\n',
    ],
    [
      {
        type: 'attachment',
        attachment: { type: 'hook_success', hookName: 'SessionStart:startup', content: 'Commit.' },
      },
      '--- Runtime Notice (agent runtime, not a person) ---\nCommit.\n',
    ],
    [{ type: 'attachment', attachment: { type: 'hook_success', content: '' } }, ''],
    [
      { type: 'attachment', attachment: { type: 'plan_mode' } },
      '--- Attachment ---\n{"type":"attachment","attachment":{"type":"plan_mode"}}\n',
    ],
  ])('a Claude Code entry is rendered unless it only lists available skills or agents: %j', (entry, text) => {
    expect(renderReadable(readableClaude(JSON.stringify(entry)))).toBe(text)
  })
})

describe('results of parallel calls', () => {
  const call = (id: string, command: string) =>
    JSON.stringify({
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }] },
    })
  const result = (id: string, content: string) =>
    JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content }] } })

  test('say which call they belong to', () => {
    const calls = parallelCalls()
    const lines = [call('a', 'one'), call('b', 'two'), result('b', '2'), result('a', '1')]
    expect(lines.map((line) => renderLine(line, calls)).slice(2)).toEqual([
      '--- User ---\n[tool_result] (of Bash {"command":"two"}) 2\n',
      '--- User ---\n[tool_result] (of Bash {"command":"one"}) 1\n',
    ])
  })

  test('results of calls that follow one another are plain', () => {
    const calls = parallelCalls()
    const lines = [call('a', 'one'), result('a', '1'), call('b', 'two'), result('b', '2')]
    expect(lines.map((line) => renderLine(line, calls)).at(-1)).toBe('--- User ---\n[tool_result] 2\n')
  })
})
