import { writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { presentSubagent } from '../../../src/domain/subagents/present-subagent.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, reaches, settled } = sessionHelpers(app)

const path = (session: number | string, rest: string | number = '') =>
  `/sessions/${session}/subagent_transcripts${rest === '' || String(rest).startsWith('?') ? rest : `/${rest}`}`

async function recorded(session: number, body: Record<string, unknown>): Promise<number> {
  const answer = await app.post(path(session), body)
  expect(answer.status).toBe(201)
  return answer.body.subagent_transcript.id
}

const transcriptOf = async (session: number, id: number): Promise<unknown> =>
  (await app.get(path(session, `${id}?include_transcript=true`))).body.subagent_transcript.transcript

const agents = async (at: string): Promise<string[]> =>
  (await app.get(at)).body.subagent_transcripts.map(({ agent_id }: { agent_id: string }) => agent_id)

const pieces = async (id: number): Promise<string[]> =>
  (
    await app.pool.query(
      'select text from subagent_transcript_pieces where subagent_transcript_id = $1 order by sequence',
      [id],
    )
  ).rows.map(({ text }) => text)

const line = (text: string): string => `${JSON.stringify({ type: 'assistant', text })}\n`

describe('a subagent that a caller records', () => {
  test('a subagent that a caller records needs only an agent_id, and is answered with 201', async () => {
    const id = await insertSession(app.pool, { slug: 'with-subagents' })
    const { status, body } = await app.post(path('with-subagents'), { agent_id: 'a-1' })
    expect(status).toBe(201)
    expect(body.subagent_transcript).toEqual({
      id: expect.any(Number),
      session_id: id,
      agent_id: 'a-1',
      tool_use_id: null,
      filename: null,
      message_count: 0,
      subagent_type: null,
      description: null,
      status: 'running',
      duration_ms: null,
      total_tokens: null,
      tool_use_count: null,
      formatted_duration: null,
      formatted_tokens: null,
      display_label: 'Subagent',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect(await app.get(path(id, body.subagent_transcript.id))).toMatchObject({ status: 200, body })
    expect(await transcriptOf(id, body.subagent_transcript.id)).toBeNull()
  })

  test('a subagent that a caller records accepts every field, and shows the transcript only with include_transcript', async () => {
    const id = await insertSession(app.pool)
    const facts = {
      agent_id: 'a-2',
      tool_use_id: 'toolu_1',
      filename: 'a-2.jsonl',
      message_count: 3,
      subagent_type: 'explore',
      description: 'Look for callers',
      status: 'completed',
      duration_ms: 61_999,
      total_tokens: 12_345,
      tool_use_count: 4,
    }
    const { body } = await app.post(path(id), { ...facts, transcript: line('one'), id: 1, session_id: 1 })
    const shown = { ...facts, session_id: id, formatted_duration: '1m 1s', formatted_tokens: '12.3k' }
    expect(body.subagent_transcript).toMatchObject({ ...shown, display_label: 'Look for callers' })
    expect(body.subagent_transcript).not.toHaveProperty('transcript')
    expect((await app.get(path(id, body.subagent_transcript.id))).body).toEqual(body)
    expect(await transcriptOf(id, body.subagent_transcript.id)).toBe(line('one'))
  })

  test('a subagent that a caller records can be changed field by field, and deleted', async () => {
    const id = await insertSession(app.pool)
    const subagent = await recorded(id, { agent_id: 'a-3', description: 'As it was', status: null })
    const { status, body } = await app.patch(path(id, subagent), {
      agent_id: 'a-4',
      status: 'failed',
      subagent_type: 'explore',
      description: null,
      duration_ms: 0,
    })
    expect(status).toBe(200)
    expect(body.subagent_transcript).toMatchObject({
      id: subagent,
      agent_id: 'a-4',
      status: 'failed',
      display_label: 'explore',
      formatted_duration: '0s',
      message_count: 0,
    })
    expect((await app.patch(path(id, subagent), { id: 1, session_id: 1 })).body).toEqual(body)
    expect((await app.patch(path(id, subagent), { status: null })).body.subagent_transcript.status).toBeNull()
    expect(await app.delete(path(id, subagent))).toMatchObject({ status: 204, body: '' })
    expectProblem(await app.get(path(id, subagent)), 404, 'Not Found')
  })

  test.each([
    [{}, "Agent can't be blank"],
    [{ agent_id: ' ' }, "Agent can't be blank"],
    [{ agent_id: 'x'.repeat(256) }, 'Agent is too long (maximum is 255 characters)'],
    [{ agent_id: 'taken' }, 'Agent has already been taken'],
    [{ agent_id: 'x', status: 'done' }, 'Status is not included in the list'],
    [{ agent_id: 'x', message_count: -1 }, 'Message count must be greater than or equal to 0'],
    [{ agent_id: 'x', total_tokens: 'many' }, 'Total tokens is not a number'],
    [{ agent_id: 'x', transcript: ['{}'] }, 'Transcript must be a string'],
  ])('the subagent %j is refused with 422: %s', async (body, message) => {
    const id = await insertSession(app.pool)
    await recorded(id, { agent_id: 'taken' })
    const answer = await changesNothing(app.pool, () => app.post(path(id), body))
    expectProblem(answer, 422, 'Validation failed', message)
  })

  test('a subagent that a caller records is not changed by an invalid PATCH', async () => {
    const id = await insertSession(app.pool)
    await recorded(id, { agent_id: 'taken' })
    const subagent = await recorded(id, { agent_id: 'mine', transcript: line('one') })
    const refused = async (body: unknown, message: string) => {
      const answer = await changesNothing(app.pool, () => app.patch(path(id, subagent), body))
      expectProblem(answer, 422, 'Validation failed', message)
    }
    await refused({ agent_id: 'taken', transcript: line('two') }, 'Agent has already been taken')
    await refused({ agent_id: null }, 'Agent must be a string')
    await refused({ status: 'done' }, 'Status is not included in the list')
  })
})

describe('a subagent transcript that callers send', () => {
  test('a subagent transcript that callers send is extended by the new part only, without rewriting the rest', async () => {
    const id = await insertSession(app.pool)
    const subagent = await recorded(id, { agent_id: 'grows', transcript: line('one') })
    await app.patch(path(id, subagent), { transcript: line('one') + line('two') })
    await app.patch(path(id, subagent), { transcript: line('one') + line('two') })
    await app.patch(path(id, subagent), { transcript: line('one') + line('two') + line('three') })
    expect(await pieces(subagent)).toEqual([line('one'), line('two'), line('three')])
    expect(await transcriptOf(id, subagent)).toBe(line('one') + line('two') + line('three'))
  })

  test('a subagent transcript that callers send is replaced if it does not continue the stored one, and removed by null', async () => {
    const id = await insertSession(app.pool)
    const subagent = await recorded(id, { agent_id: 'other', transcript: line('one') + line('two') })
    await app.patch(path(id, subagent), { transcript: line('another') })
    expect(await pieces(subagent)).toEqual([line('another')])
    await app.patch(path(id, subagent), { transcript: '' })
    expect(await transcriptOf(id, subagent)).toBe('')
    await app.patch(path(id, subagent), { transcript: null })
    expect(await transcriptOf(id, subagent)).toBeNull()
  })

  test('a subagent transcript that callers send is stored redacted, even if a secret arrives in two parts', async () => {
    const id = await insertSession(app.pool)
    const token = `ghp_${'a1B2'.repeat(9)}`
    const first = `${line('begin')}{"type":"assistant","text":"it printed ${token.slice(0, 8)}`
    const subagent = await recorded(id, { agent_id: 'talks', transcript: first })
    expect(await transcriptOf(id, subagent)).toBe(first)
    await app.patch(path(id, subagent), { transcript: `${first}${token.slice(8)}"}\n` })
    const stored = String(await transcriptOf(id, subagent))
    expect(stored).toContain('[REDACTED:')
    expect(stored).not.toContain(token.slice(0, 8))
    // Later texts still extend the redacted one.
    await app.patch(path(id, subagent), { transcript: `${first}${token.slice(8)}"}\n${line('more')}` })
    expect((await pieces(subagent)).at(-1)).toBe(line('more'))
  })
})

test('the texts about a subagent are stored redacted, on creation and on change', async () => {
  const id = await insertSession(app.pool)
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const facts = {
    description: `Try ${secret}`,
    subagent_type: secret,
    filename: `agent-${secret}.jsonl`,
    tool_use_id: `toolu ${secret}`,
  }
  const redacted = {
    description: 'Try [REDACTED:FORGE_TOKEN]',
    subagent_type: '[REDACTED:FORGE_TOKEN]',
    filename: 'agent-[REDACTED:FORGE_TOKEN].jsonl',
    tool_use_id: 'toolu [REDACTED:FORGE_TOKEN]',
  }
  const created = await app.post(path(id), { agent_id: 'one', ...facts })
  expect(created.body.subagent_transcript).toMatchObject(redacted)
  const other = await recorded(id, { agent_id: 'two', description: 'plain' })
  expect((await app.patch(path(id, other), facts)).body.subagent_transcript).toMatchObject(redacted)
  expect((await app.patch(path(id, other), { description: null })).body.subagent_transcript.description).toBeNull()
})

describe('the list of subagents', () => {
  test('GET /sessions/:id/subagent_transcripts lists subagents newest first, in pages', async () => {
    const id = await insertSession(app.pool)
    for (const agent_id of ['one', 'two', 'three']) await recorded(id, { agent_id })
    expect(await agents(path(id))).toEqual(['three', 'two', 'one'])
    const { body } = await app.get(path(id, '?page=2&per_page=2'))
    expect(body.subagent_transcripts).toMatchObject([{ agent_id: 'one' }])
    expect(body.pagination).toEqual({ page: 2, per_page: 2, total_count: 3, total_pages: 2 })
  })

  test('the list of subagents is filtered by exact status and type', async () => {
    const id = await insertSession(app.pool)
    await recorded(id, { agent_id: 'one', subagent_type: 'explore' })
    await recorded(id, { agent_id: 'two', subagent_type: 'explore', status: 'failed' })
    await recorded(id, { agent_id: 'three', status: null })
    expect(await agents(path(id, '?subagent_type=explore'))).toEqual(['two', 'one'])
    expect(await agents(path(id, '?subagent_type=explore&status=failed'))).toEqual(['two'])
    expect(await agents(path(id, '?status=running'))).toEqual(['one'])
    expect(await agents(path(id, '?status=done'))).toEqual([])
    expect(await agents(path(id, '?subagent_type=Explore'))).toEqual([])
    expect(await agents(path(id, '?status='))).toHaveLength(3)
  })
})

test('a subagent of another session, or of an unknown session, answers 404', async () => {
  const id = await insertSession(app.pool)
  const other = await insertSession(app.pool)
  const subagent = await recorded(other, { agent_id: 'not-yours' })
  const answers = await changesNothing(app.pool, async () => [
    await app.get(path(id, subagent)),
    await app.patch(path(id, subagent), { description: 'mine' }),
    await app.delete(path(id, subagent)),
    await app.get(path(id, 'x')),
    await app.get(path(0)),
    await app.post(path('no-such-session'), { agent_id: 'x' }),
  ])
  for (const answer of answers) expectProblem(answer, 404, 'Not Found', 'The requested resource was not found')
})

test('an include_transcript that is not a boolean is refused with 422', async () => {
  const id = await insertSession(app.pool)
  const answer = await app.get(path(id, `${await recorded(id, { agent_id: 'x' })}?include_transcript=maybe`))
  expectProblem(answer, 422, 'Invalid parameter', 'Include transcript must be true or false')
})

describe('a subagent of a turn', () => {
  test('a subagent of a turn is recorded while it runs, and completed when its turn ends', async () => {
    const id = await create('spawn run until [ -e go-on ]; do sleep 0.1; done\nspawn usage 1200 34')
    const subagents = async () => (await app.get(path(id))).body.subagent_transcripts
    const [running] = await eventually(subagents, (all) => all.length === 1)
    expect(running).toMatchObject({ status: 'running', subagent_type: 'demo', tool_use_count: expect.any(Number) })
    const { body } = await app.get(`/sessions/${id}`)
    await writeFile(`${body.session.metadata.working_directory}/go-on`, '')
    await reaches(id, 'needs_input')
    await settled(id)
    const [second, first] = await eventually(subagents, ([last]) => last.total_tokens > 0)
    expect(first).toMatchObject({
      id: running.id,
      agent_id: expect.stringMatching(/^agent-/),
      status: 'completed',
      description: 'run until [ -e go-on ]; do sleep 0.1; done',
      filename: `${first.agent_id}.jsonl`,
      message_count: 3,
      tool_use_count: 1,
      total_tokens: 0,
      tool_use_id: expect.stringMatching(/^toolu_/),
    })
    expect(second).toMatchObject({
      status: 'completed',
      message_count: 2,
      total_tokens: 1234,
      formatted_tokens: '1.2k',
    })

    const entries = String(await transcriptOf(id, second.id))
    expect(entries.trim().split('\n')).toHaveLength(2)
    expect(entries).toContain('Used 1200 input and 34 output tokens.')
    expect(await pieces(second.id)).toEqual([])

    const answer = await changesNothing(app.pool, () => app.patch(path(id, second.id), { transcript: line('made up') }))
    const sentence = "The transcript is read from the agent's own file and cannot be replaced"
    expectProblem(answer, 409, 'Conflict', sentence)
    expect((await app.patch(path(id, second.id), { description: 'Renamed' })).status).toBe(200)
  })

  test('a subagent of a turn is failed when its turn fails', async () => {
    const id = await create('spawn fail for want of tea')
    await reaches(id, 'failed')
    expect((await app.get(path(id))).body.subagent_transcripts).toMatchObject([{ status: 'failed' }])
  })
})

describe('the derived fields of a subagent', () => {
  const blank = {
    id: 1,
    session_id: 1,
    agent_id: 'a',
    thread: null,
    tool_use_id: null,
    filename: null,
    message_count: 0,
    subagent_type: null,
    description: null,
    status: null,
    duration_ms: null,
    total_tokens: null,
    tool_use_count: null,
    text_length: null,
    text_sha256: null,
    created_at: new Date(0),
    updated_at: new Date(0),
  }

  test.each([
    [null, null],
    [0, '0s'],
    [999, '0s'],
    [59_999, '59s'],
    [60_000, '1m 0s'],
    [61_999, '1m 1s'],
    [4_503_000, '75m 3s'],
  ])('a subagent shows a duration of %s ms as %s', (duration_ms, text) => {
    expect(presentSubagent({ ...blank, duration_ms }).formatted_duration).toBe(text)
  })

  test.each([
    [null, null],
    [0, '0'],
    [999, '999'],
    [1000, '1.0k'],
    [12_345, '12.3k'],
    [1_250_000, '1250.0k'],
  ])('a subagent shows %s tokens as %s', (total_tokens, text) => {
    expect(presentSubagent({ ...blank, total_tokens }).formatted_tokens).toBe(text)
  })

  test.each([
    ['Look', 'explore', 'Look'],
    ['  ', 'explore', 'explore'],
    [null, ' ', 'Subagent'],
  ])('description %j and type %j give the label %s', (description, subagent_type, label) => {
    expect(presentSubagent({ ...blank, description, subagent_type }).display_label).toBe(label)
  })
})
