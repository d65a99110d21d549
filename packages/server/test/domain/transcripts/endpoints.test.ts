import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

const conversation = [
  { type: 'user', message: { role: 'user', content: 'Make the retry loop give up after five tries.' } },
  {
    type: 'assistant',
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Find the loop first.' },
        { type: 'text', text: 'I will look at the client.' },
        { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'lib/client.x' } },
      ],
    },
  },
  { type: 'tool_result', tool_use_id: 't1', content: 'def call ...' },
].map((entry) => JSON.stringify(entry))

const rendered = [
  '--- User ---',
  'Make the retry loop give up after five tries.',
  '',
  '--- Assistant ---',
  '[thinking] Find the loop first.',
  'I will look at the client.',
  '[tool_use: Read] {"path":"lib/client.x"}',
  '',
  '--- Tool Result ---',
  'def call ...',
  '',
].join('\n')

async function sessionWith(lines: readonly string[], columns = {}): Promise<number> {
  const id = await insertSession(app.pool, columns)
  await insertTranscript(app.pool, id, lines)
  return id
}

describe('GET /sessions/:id/transcript answers 200', () => {
  test('GET /sessions/:id/transcript answers 200 as JSON with the rendered text under transcript_text and nothing else', async () => {
    const id = await sessionWith(conversation)
    const answer = await app.get(`/sessions/${id}/transcript`)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { transcript_text: rendered } })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('GET /sessions/:id/transcript answers 200 as plain text with format=text', async () => {
    const id = await sessionWith(conversation)
    const answer = await app.get(`/sessions/${id}/transcript?format=text`)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: rendered })
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  test.each(['json', 'TEXT', 'html', ''])(
    'GET /sessions/:id/transcript answers 200 as JSON with format=%j',
    async (format) => {
      const id = await sessionWith(conversation)
      const answer = await app.get(`/sessions/${id}/transcript?format=${format}`)
      expect([answer.status, answer.body]).toEqual([200, { transcript_text: rendered }])
    },
  )

  test('GET /sessions/:id/transcript answers 200 for a session named by its slug', async () => {
    await sessionWith(conversation, { slug: 'tidy-the-retry-loop' })
    expect((await app.get('/sessions/tidy-the-retry-loop/transcript')).body.transcript_text).toBe(rendered)
  })

  test('GET /sessions/:id/transcript answers 200 without lines that are not JSON', async () => {
    const [first = '', ...others] = conversation
    const id = await sessionWith(['{"type":', first, 'not json', ...others, ''])
    expect((await app.get(`/sessions/${id}/transcript`)).body.transcript_text).toBe(rendered)
  })

  test('GET /sessions/:id/transcript answers 200 with an empty text if no line is JSON', async () => {
    const id = await sessionWith(['not json', '{'])
    expect((await app.get(`/sessions/${id}/transcript`)).body).toEqual({ transcript_text: '' })
    expect((await app.get(`/sessions/${id}/transcript?format=text`)).body).toBe('')
  })

  test('GET /sessions/:id/transcript answers 200 with all entries of a long conversation in order, in both formats', async () => {
    const count = 1001
    const id = await sessionWith(
      Array.from({ length: count }, (_, n) => JSON.stringify({ type: 'user', message: { content: `message ${n}` } })),
    )
    const expected = Array.from({ length: count }, (_, n) => `--- User ---\nmessage ${n}\n`).join('\n')
    expect((await app.get(`/sessions/${id}/transcript`)).body.transcript_text).toBe(expected)
    expect((await app.get(`/sessions/${id}/transcript?format=text`)).body).toBe(expected)
  })

  test('GET /sessions/:id/transcript answers 200 without the threads of subagents', async () => {
    const id = await sessionWith(conversation)
    await insertTranscript(app.pool, id, ['{"type":"user","message":{"content":"for the subagent"}}'], 'agent-1')
    expect((await app.get(`/sessions/${id}/transcript`)).body.transcript_text).toBe(rendered)
  })

  test('GET /sessions/:id/transcript answers 200 and reading a transcript changes nothing', async () => {
    const id = await sessionWith(conversation)
    await changesNothing(app.pool, () => app.get(`/sessions/${id}/transcript`))
  })
})

describe('GET /sessions/:id/transcript answers 404', () => {
  test.each(['', '?format=text'])(
    'GET /sessions/:id/transcript answers 404 with the label No transcript for a session without entries (query %j)',
    async (query) => {
      const id = await insertSession(app.pool)
      expectProblem(
        await app.get(`/sessions/${id}/transcript${query}`),
        404,
        'No transcript',
        'No transcript available for this session',
      )
    },
  )

  test('GET /sessions/:id/transcript answers 404 with the label No transcript for a session that has only entries of a subagent', async () => {
    const id = await insertSession(app.pool)
    await insertTranscript(app.pool, id, ['{"type":"user"}'], 'agent-1')
    expectProblem(await app.get(`/sessions/${id}/transcript`), 404, 'No transcript')
  })

  test.each(['999999', 'no-such-slug', '99999999999999999999', '%00'])(
    'GET /sessions/:id/transcript answers 404 with the label Not Found for the unknown session %s',
    async (id) => {
      const answer = await app.get(`/sessions/${id}/transcript`)
      expectProblem(answer, 404, 'Not Found', 'The requested resource was not found')
    },
  )
})

test('GET /sessions/:id/transcript answers 401 without a key', async () => {
  const id = await sessionWith(conversation)
  expect((await app.send(`/api/v1/sessions/${id}/transcript?format=text`)).status).toBe(401)
})
