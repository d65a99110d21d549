import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  type RecordedMessage,
  recordHumanMessage,
  redactContent,
} from '../../../src/domain/hierarchy/human-messages.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { testApp } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { insertTree, insertUncleLink } from '../../support/sessions/relations.ts'
import { insertSession, insertSessions } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const show = async (id: number) => (await app.get(`/sessions/${id}`)).body

type Said = Partial<Omit<RecordedMessage, 'content'>> & { sessionId: number; content?: string }

const record = async ({ content = 'Also add a test.', ...message }: Said): Promise<void> => {
  const redacted = await redactContent(app.host.app, content)
  await transact(app.host.app.db, (tx) =>
    recordHumanMessage(tx, {
      author: { key: 'ada' },
      channel: 'web_ui',
      entryPoint: 'web_ui.follow_up',
      content: redacted,
      occurredAt: new Date('2026-08-22T18:09:42.500Z'),
      ...message,
    }),
  )
}

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'people')
})

describe('human_messages', () => {
  test('human_messages lists the messages of the whole tree, oldest first, each with the session it was sent to', async () => {
    const parent = await insertSession(app.pool, { title: 'Router', metadata: { agent_root_key: 'router' } })
    const child = await insertSession(app.pool, { parent_session_id: parent })
    const unrelated = await insertSession(app.pool)
    await app.pool.query(`insert into people (key, display_name) values ('ada', 'Ada L.')`)
    await record({ sessionId: child })
    await record({
      sessionId: parent,
      author: { key: 'grace' },
      channel: 'chat',
      roomName: '#yard',
      entryPoint: 'chat.channel_message',
      content: 'Go ahead.',
      occurredAt: new Date('2026-08-22T17:00:00Z'),
    })
    await record({ sessionId: parent, channel: 'chat', entryPoint: 'chat.dm' })
    await record({ sessionId: unrelated })
    expect((await show(child)).human_messages).toEqual([
      {
        origin: 'elsewhere',
        author: 'grace',
        author_display_name: 'grace',
        channel: 'chat',
        channel_label: 'chat (#yard)',
        authored_in_session_id: parent,
        authored_in: `session #${parent} — router · Router`,
        entry_point: 'chat.channel_message',
        content: 'Go ahead.',
        occurred_at: '2026-08-22T17:00:00Z',
      },
      {
        origin: 'here',
        author: 'ada',
        author_display_name: 'Ada L.',
        channel: 'web_ui',
        channel_label: 'the dashboard',
        authored_in_session_id: child,
        authored_in: `this session (#${child})`,
        entry_point: 'web_ui.follow_up',
        content: 'Also add a test.',
        occurred_at: '2026-08-22T18:09:42Z',
      },
      expect.objectContaining({ origin: 'elsewhere', channel_label: 'chat', entry_point: 'chat.dm' }),
    ])
    expect((await show(parent)).human_messages.map(({ origin }: { origin: string }) => origin)).toEqual([
      'here',
      'elsewhere',
      'here',
    ])
  })

  test('names a session without root and title by its id', async () => {
    await insertTree(app.pool, [null, 0])
    await record({ sessionId: 1 })
    expect((await show(2)).human_messages).toMatchObject([{ authored_in: 'session #1 — — · Session #1' }])
  })

  test('human_messages includes messages to an uncle', async () => {
    await insertTree(app.pool, [null, null])
    await insertUncleLink(app.pool, { senior: 1, junior: 2 })
    await record({ sessionId: 1 })
    expect((await show(2)).human_messages).toMatchObject([{ authored_in_session_id: 1 }])
  })

  test('human_messages records no prompt of a REST caller, because an API key identifies no person', async () => {
    const { session } = (
      await app.post('/sessions', { git_root: '/srv/widgets', agent_runtime: 'demo', prompt: 'say hello' })
    ).body
    expect((await show(session.id)).human_messages).toEqual([])
  })

  test('human_messages truncates a message of more than 500,000 characters and marks its end', async () => {
    await insertTree(app.pool, [null])
    await record({ sessionId: 1, content: '🚂'.repeat(500_000) })
    await record({ sessionId: 1, content: '🚂'.repeat(500_001) })
    const [whole, truncated] = (await show(1)).human_messages.map(({ content }: { content: string }) => content)
    expect(whole).toBe('🚂'.repeat(500_000))
    expect(Array.from(truncated)).toHaveLength(500_000)
    expect(truncated).toMatch(/^🚂.*🚂\n\[truncated: the message was longer\]$/u)
  })

  test('human_messages redacts an API key in a message', async () => {
    await insertTree(app.pool, [null])
    await record({ sessionId: 1, content: 'use test-key for it' })
    expect((await show(1)).human_messages[0].content).not.toContain('test-key')
  })

  test('human_messages are append-only, and are deleted with their session', async () => {
    await insertTree(app.pool, [null])
    await record({ sessionId: 1 })
    await expect(app.pool.query(`update human_messages set content = 'other'`)).rejects.toThrow('append-only')
    await expect(app.pool.query('delete from human_messages')).rejects.toThrow('append-only')
    expect((await app.delete('/sessions/1')).status).toBe(204)
    expect((await app.pool.query('select from human_messages')).rowCount).toBe(0)
  })

  test('human_messages shows the latest 1,000 messages if there are more', async () => {
    await insertTree(app.pool, [null])
    await app.pool.query(`
      insert into human_messages (session_id, author_key, channel, entry_point, content, occurred_at)
      select 1, 'ada', 'web_ui', 'web_ui.follow_up', 'message ' || n, timestamptz '2026-08-22' + n * interval '1 second'
      from generate_series(1, 1010) as n
    `)
    const { human_messages: messages } = await show(1)
    expect(messages).toHaveLength(1000)
    expect([messages[0].content, messages.at(-1).content]).toEqual(['message 11', 'message 1010'])
    expect((await show(1)).human_message_capture_gaps).toContainEqual({
      channel: 'web_ui',
      channel_label: 'the dashboard',
      genesis: 'web_ui',
      session_ids: [1],
      reason: 'Only the latest messages are shown, at most 1000 and 4 MiB; these sessions have older ones.',
      remedy: 'Read the older messages in the transcripts of these sessions.',
    })
  })
})

test('human_messages shows the latest messages up to 4 MiB', async () => {
  await insertTree(app.pool, [null])
  await app.pool.query(`
    insert into human_messages (session_id, author_key, channel, entry_point, content, occurred_at)
    select 1, 'person ' || n, 'web_ui', 'web_ui.follow_up', repeat('🚂', 500000), timestamptz '2026-08-22' + n * interval '1 second'
    from generate_series(1, 5) as n
  `)
  const authors = (await show(1)).human_messages.map(({ author }: { author: string }) => author)
  expect(authors).toEqual(['person 3', 'person 4', 'person 5'])
})

describe('human_message_capture_gaps', () => {
  const gaps = async (id: number) => (await show(id)).human_message_capture_gaps

  test('human_message_capture_gaps is empty if no session came through chat or the dashboard', async () => {
    const ids = await insertSessions(
      app.pool,
      ['api', 'forge_issue', 'forge_label', 'schedule', 'ao_event', 'unknown'].map((genesis) => ({ genesis })),
    )
    for (const id of ids) expect(await gaps(id)).toEqual([])
  })

  test('names chat and the dashboard while no author can be identified there', async () => {
    const [root = 0] = await insertSessions(app.pool, [{ genesis: 'web_ui' }])
    const [one = 0, other = 0] = await insertSessions(app.pool, [
      { genesis: 'chat', parent_session_id: root },
      { genesis: 'chat', parent_session_id: root },
    ])
    expect(await gaps(one)).toEqual([
      {
        channel: 'chat',
        channel_label: 'chat',
        genesis: 'chat',
        session_ids: [one, other],
        reason: 'No person has a chat user id, so the authors of chat messages could not be identified.',
        remedy: 'Set the chat user id of each person who writes in chat. Messages they send after that are recorded.',
      },
      {
        channel: 'web_ui',
        channel_label: 'the dashboard',
        genesis: 'web_ui',
        session_ids: [root],
        reason: 'No person is an administrator, so the users of the dashboard could not be identified.',
        remedy: 'Make a person an administrator. Messages sent on the dashboard after that are recorded.',
      },
    ])
  })

  test('human_message_capture_gaps names sessions that people wrote to before messages were recorded', async () => {
    const ids = await insertSessions(app.pool, [
      { genesis: 'chat', created_at: '2026-01-01' },
      { genesis: 'chat' },
      { genesis: 'api', created_at: '2026-01-01' },
      { genesis: 'api' },
    ])
    const [old = 0, recent = 0, followed = 0, other = 0] = ids
    await app.pool.query(`insert into triggers (name, agent_root_name, prompt_template) values ('t', 'sample', 'x')`)
    for (const id of [followed, other])
      await app.pool.query(
        `insert into trigger_fires (trigger_id, fired_by, event_key, outcome, session_id, fired_at)
         select id, $2, 'k', 'delivered', $1, '2026-01-01' from triggers`,
        [id, id === followed ? 'chat' : 'schedule'],
      )
    await app.pool.query(`insert into people (key, display_name, chat_user_id) values ('ada', 'Ada L.', 'U1')`)
    await app.pool.query('delete from unrecorded_sessions')
    const migration = new URL('../../../src/platform/db/migrations/0033_reaching_people.sql', import.meta.url)
    const [, fill = ''] = (await readFile(migration, 'utf8')).split(/(?=insert into unrecorded_sessions)/)
    await app.pool.query(fill)
    for (const id of [old, followed])
      expect(await gaps(id)).toEqual([
        {
          channel: 'chat',
          channel_label: 'chat',
          genesis: 'chat',
          session_ids: [id],
          reason: 'People wrote to these sessions before messages were recorded, so their first messages are missing.',
          remedy: 'Read the transcripts of these sessions. Messages that are sent now are recorded.',
        },
      ])
    expect([await gaps(recent), await gaps(other)]).toEqual([[], []])
    // One entry for the channel, with both reasons.
    await app.pool.query('delete from people')
    expect(await gaps(old)).toMatchObject([
      { channel: 'chat', session_ids: [old], reason: expect.stringMatching(/^No person has.*before messages were/) },
    ])
  })

  test('human_message_capture_gaps omits a channel as soon as an author can be identified in it', async () => {
    const [web = 0, chat = 0] = await insertSessions(app.pool, [{ genesis: 'web_ui' }, { genesis: 'chat' }])
    await app.pool.query(`insert into people (key, display_name) values ('ada', 'Ada L.')`)
    expect([await gaps(web), await gaps(chat)]).toMatchObject([[{ channel: 'web_ui' }], [{ channel: 'chat' }]])
    await app.pool.query(`update people set chat_user_id = 'U1'`)
    expect([await gaps(web), await gaps(chat)]).toMatchObject([[{ channel: 'web_ui' }], []])
    await app.pool.query('update people set is_admin = true')
    expect([await gaps(web), await gaps(chat)]).toEqual([[], []])
  })
})
