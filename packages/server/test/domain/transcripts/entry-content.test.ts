import { describe, expect, test } from 'vitest'
import { name as alpha } from '../../../src/runtimes/alpha/runtime.ts'
import { name as beta } from '../../../src/runtimes/beta/runtime.ts'
import { type Answer, testApp } from '../../support/app/app.ts'
import { count, entryHelpers, says } from '../../support/sessions/entries.ts'
import { insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const { sessionWith, page } = entryHelpers(app)

const calls = (id: string, name: string, input: unknown) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id, name, input }] },
})
const returns = (id: string, content: unknown, more = {}) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
})

/** The fields that a part of another type leaves empty. */
const bare = { is_cut: false, tool_use_id: null, tool_name: null, summary: null, is_error: null, subagent: null }

describe('an entry of GET /sessions/:id/entries', () => {
  const prompt = { type: 'user', timestamp: '2026-08-22T18:09:42.120Z', message: { role: 'user', content: 'Fix it.' } }
  const work = {
    type: 'assistant',
    message: {
      model: 'some-model',
      content: [
        { type: 'thinking', thinking: 'Look first.' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'lib/a.ts', limit: 3 } },
        { type: 'image', source: { data: 'AAAA' } },
        { type: 'later_kind', value: 1 },
      ],
    },
  }

  test.each(['demo', alpha])('an entry of GET /sessions/:id/entries has the parts of a line of %s', async (runtime) => {
    const id = await sessionWith([prompt, work, returns('t1', 'no such file', { is_error: true })], {
      agent_runtime: runtime,
    })
    const { entries } = await page(id)
    expect(entries).toEqual([
      {
        sequence: 1,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        written_at: '2026-08-22T18:09:42.120Z',
        kind: 'prompt',
        turn: null,
        model: null,
        parts: [{ ...bare, type: 'text', text: 'Fix it.', size: 7 }],
        part_count: 1,
      },
      {
        sequence: 2,
        at: expect.any(String),
        written_at: null,
        kind: 'assistant',
        turn: null,
        model: 'some-model',
        parts: [
          { ...bare, type: 'thinking', text: 'Look first.', size: 11 },
          { ...bare, type: 'text', text: 'I look.', size: 7 },
          {
            ...bare,
            type: 'tool_call',
            text: '{"file_path":"lib/a.ts","limit":3}',
            size: 34,
            tool_use_id: 't1',
            tool_name: 'Read',
            summary: 'lib/a.ts',
          },
          { ...bare, type: 'image', text: '', size: 0 },
          { ...bare, type: 'other', text: '{"type":"later_kind","value":1}', size: 31 },
        ],
        part_count: 5,
      },
      {
        sequence: 3,
        at: expect.any(String),
        written_at: null,
        kind: 'tool_result',
        turn: null,
        model: null,
        parts: [
          {
            ...bare,
            type: 'tool_result',
            text: 'no such file',
            size: 12,
            tool_use_id: 't1',
            tool_name: 'Read',
            is_error: true,
          },
        ],
        part_count: 1,
      },
    ])
  })

  test('an entry of GET /sessions/:id/entries has the parts of a line of the runtime that writes rollouts', async () => {
    const item = (payload: object) => ({ timestamp: '2026-08-22T18:00:00Z', type: 'response_item', payload })
    const id = await sessionWith(
      [
        item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] }),
        item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Look first.' }] }),
        item({ type: 'function_call', name: 'shell', arguments: '{"command":["ls","-l"]}', call_id: 'c1' }),
        item({ type: 'function_call_output', call_id: 'c1', output: 'a.ts' }),
        item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }),
        { type: 'turn_context', payload: { cwd: '/' } },
        { type: 'event_msg', payload: { type: 'turn_aborted', reason: 'interrupted' } },
      ],
      { agent_runtime: beta },
    )
    const { entries } = await page(id)
    expect(
      entries.map(({ kind, written_at, parts: [part] }: Answer['body']) => [
        kind,
        written_at,
        part?.type,
        part?.text,
        part?.tool_name,
        part?.summary,
      ]),
    ).toEqual([
      ['prompt', '2026-08-22T18:00:00.000Z', 'text', 'Fix it.', null, null],
      ['assistant', '2026-08-22T18:00:00.000Z', 'thinking', 'Look first.', null, null],
      ['assistant', '2026-08-22T18:00:00.000Z', 'tool_call', '{"command":["ls","-l"]}', 'shell', 'ls -l'],
      ['tool_result', '2026-08-22T18:00:00.000Z', 'tool_result', 'a.ts', 'shell', null],
      ['assistant', '2026-08-22T18:00:00.000Z', 'text', 'Done.', null, null],
      ['hidden', null, undefined, undefined, undefined, undefined],
      ['notice', null, 'text', 'The turn was ended early (interrupted).', null, null],
    ])
  })

  test.each([
    ['a notice of the runtime', { type: 'user', isMeta: true, message: { content: 'interrupted' } }, 'notice', 'text'],
    [
      'a tool call by itself',
      { type: 'tool_use', id: 't', name: 'run', input: { command: 'ls' } },
      'assistant',
      'tool_call',
    ],
    ['a tool result by itself', { type: 'tool_result', tool_use_id: 't', content: 'ok' }, 'tool_result', 'tool_result'],
    ['a kind that is not known', { type: 'file-history-snapshot', files: {} }, 'other', 'other'],
    ['a torn line', { type: 'torn_entry', bytes: 9, head: '{"type":' }, 'other', 'other'],
    ['a line that is not JSON', '{"type":', 'hidden', undefined],
    ['a line that is no object', '[1, 2]', 'hidden', undefined],
    ['an empty object', {}, 'other', 'other'],
    [
      'hostile fields',
      {
        type: 'assistant',
        timestamp: 'x'.repeat(99),
        message: {
          model: 7,
          content: [null, 'x', { type: 'tool_use', id: 5, name: {}, input: null }, { type: 'text', text: 9 }],
        },
      },
      'assistant',
      'tool_call',
    ],
  ])('an entry of GET /sessions/:id/entries says what it is for %s', async (_what, line, kind, type) => {
    const id = await sessionWith([line])
    const { entries } = await page(id)
    expect([entries[0].kind, entries[0].parts[0]?.type]).toEqual([kind, type])
  })

  test.each([
    [{ command: '  npm   test\n-- a ' }, 'npm test -- a'],
    [{ pattern: 'TODO', path: '' }, 'TODO'],
    [{ other: 1 }, '{"other":1}'],
    ['apply this', 'apply this'],
    [{ command: `echo ${'x'.repeat(1_000)}` }, `echo ${'x'.repeat(194)}…`],
    // It would read as `rm notes.txt # safe` from the mark on.
    [{ command: 'rm \u202eefas # txt.seton' }, 'rm [U+202E]efas # txt.seton'],
  ])('a tool call of GET /sessions/:id/entries has a summary of one line', async (input, summary) => {
    const id = await sessionWith([calls('t1', 'run', input)])
    expect((await page(id)).entries[0].parts[0].summary).toBe(summary)
  })

  test('a tool call of GET /sessions/:id/entries names the subagent that it started', async () => {
    const id = await sessionWith([calls('t1', 'spawn', { prompt: 'audit' }), calls('t2', 'spawn', {})])
    const other = await sessionWith([calls('t2', 'spawn', {})])
    for (const [session, call] of [
      [id, 't1'],
      [other, 't2'],
    ]) {
      await app.post(`/sessions/${session}/subagent_transcripts`, {
        agent_id: 'agent-1',
        tool_use_id: call,
        description: 'audit deps',
      })
    }
    await app.pool.query("update subagent_transcripts set thread = 'agent-1' where session_id = $1", [id])
    const { entries } = await page(id)
    expect(entries.map(({ parts: [part] }: Answer['body']) => part.subagent)).toEqual([
      { id: expect.any(Number), thread: 'agent-1', label: 'audit deps', status: 'running' },
      null,
    ])
  })

  test('an entry of GET /sessions/:id/entries names the turn in which it was stored', async () => {
    const id = await sessionWith(count(4))
    const at = (minute: number) => new Date(Date.UTC(2026, 7, 1, 12, minute))
    await app.pool.query('alter table transcript_entries disable trigger user')
    for (const [sequence, minute] of [
      [1, 0],
      [2, 11],
      [3, 15],
      [4, 31],
    ]) {
      await app.pool.query('update transcript_entries set created_at = $1 where session_id = $2 and sequence = $3', [
        at(minute ?? 0),
        id,
        sequence,
      ])
    }
    await app.pool.query('alter table transcript_entries enable trigger user')
    await app.pool.query(
      `insert into turns (session_id, sequence, source, prompt, state, outcome, dispatched_at, ended_at, lease_owner)
       values ($1, 3, 'create', 'a', 'ended', 'completed', $2, $3, null), ($1, 7, 'follow_up', 'b', 'executing', null, $4, null, 'elsewhere')`,
      [id, at(10), at(20), at(30)],
    )
    expect((await page(id)).entries.map(({ turn }: { turn: number }) => turn)).toEqual([null, 3, 3, 7])
  })

  test('an entry of GET /sessions/:id/entries has its first 100 parts and says how many there are', async () => {
    const content = Array.from({ length: 150 }, (_, n) => ({ type: 'text', text: `part ${n}` }))
    const id = await sessionWith([{ type: 'assistant', message: { content } }])
    const [entry] = (await page(id)).entries
    expect([entry.parts.length, entry.part_count]).toEqual([100, 150])
    expect((await app.get(`/sessions/${id}/entries/1/parts/149`)).body.part.text).toBe('part 149')
  })
})

describe('a part above 8 KB', () => {
  test('a part above 8 KB is cut in GET /sessions/:id/entries and whole in GET /sessions/:id/entries/:sequence/parts/:n', async () => {
    const text = `é${'x'.repeat(8190)}é and more`
    const id = await sessionWith([calls('t1', 'run', { command: 'cat' }), returns('t1', text)])
    const { entries } = await page(id)
    const cut = { ...bare, type: 'tool_result', tool_use_id: 't1', tool_name: 'run', is_error: false, size: 8203 }
    expect(entries[1].parts).toEqual([{ ...cut, is_cut: true, text: `é${'x'.repeat(8190)}` }])
    const whole = await app.get(`/sessions/${id}/entries/2/parts/0`)
    expect([whole.status, whole.body]).toEqual([200, { part: { ...cut, tool_name: null, text } }])
  })

  test('a part of exactly 8 KB is not cut', async () => {
    const id = await sessionWith([says('x'.repeat(8192)), says('x'.repeat(8193))])
    const parts = (await page(id)).entries.map((entry: Answer['body']) => entry.parts[0])
    expect(parts.map((part: Answer['body']) => [part.is_cut, part.size, part.text.length])).toEqual([
      [false, 8192, 8192],
      [true, 8193, 8192],
    ])
  })

  test('GET /sessions/:id/entries/:sequence/parts/:n answers 200 for the thread of a subagent', async () => {
    const id = await sessionWith(count(2))
    await insertTranscript(app.pool, id, [JSON.stringify(says('from below'))], 'agent-1')
    const { body } = await app.get(`/sessions/${id}/entries/1/parts/0?thread=agent-1`)
    expect(body.part.text).toBe('from below')
  })
})
