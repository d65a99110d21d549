import { expect, test } from 'vitest'
import { testDatabase } from '../../support/database/database.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'

async function storedConversation() {
  const { pool } = await testDatabase()
  const sessionId = await insertSession(pool)
  await insertTranscript(pool, sessionId, ['{"n":1}', '{"n":2}'])
  return { pool, sessionId, count: async () => (await pool.query('select from transcript_entries')).rowCount }
}

test('the database refuses to change an entry', async () => {
  const { pool } = await storedConversation()
  await expect(pool.query(`update transcript_entries set line = 'other' where sequence = 1`)).rejects.toThrow(
    'transcript_entries is append-only: update refused',
  )
  await expect(pool.query('update transcript_entries set line = line')).rejects.toThrow('append-only')
})

test('the database refuses to delete an entry of an existing session', async () => {
  const { pool, count } = await storedConversation()
  await expect(pool.query('delete from transcript_entries where sequence = 2')).rejects.toThrow(
    'transcript_entries is append-only: delete refused',
  )
  expect(await count()).toBe(2)
})

test('the database refuses a second entry with the same sequence', async () => {
  const { pool, sessionId } = await storedConversation()
  await expect(
    pool.query(`insert into transcript_entries (session_id, thread, sequence, line) values ($1, 'main', 2, 'x')`, [
      sessionId,
    ]),
  ).rejects.toThrow('duplicate key')
})

test('deleting a session deletes its entries and no others', async () => {
  const { pool, sessionId, count } = await storedConversation()
  const other = await insertSession(pool)
  await insertTranscript(pool, other, ['{"n":1}'])
  await pool.query('delete from sessions where id = $1', [sessionId])
  expect(await count()).toBe(1)
  expect((await pool.query('select session_id from transcript_threads')).rows).toEqual([{ session_id: String(other) }])
})

test('the transitions of a session are append-only too', async () => {
  const { pool, sessionId } = await storedConversation()
  await pool.query(
    `insert into session_transitions (session_id, cause, from_status, to_status)
     values ($1, 'turn_started', 'waiting', 'running')`,
    [sessionId],
  )
  await expect(pool.query(`update session_transitions set cause = 'other'`)).rejects.toThrow('append-only')
  await expect(pool.query('delete from session_transitions')).rejects.toThrow('append-only')
  await pool.query('delete from sessions')
  expect((await pool.query('select from session_transitions')).rowCount).toBe(0)
})
