import type pg from 'pg'
import { updateArchive } from '../../../src/domain/archive/update-archive.ts'
import { type TestApp, testKey } from '../app/app.ts'
import { emptyTables } from '../database/empty-tables.ts'
import { readZip } from '../files/read-zip.ts'
import { insertSession, insertTranscript } from '../sessions/session-rows.ts'

/** What tests of the transcript archive do with an app. */
export function archiveOf(app: TestApp) {
  const build = (options: Parameters<typeof updateArchive>[2] = {}) =>
    updateArchive(app.host.app, new AbortController().signal, options)

  async function conversation(lines: readonly string[], columns: Record<string, unknown> = {}): Promise<number> {
    const id = await insertSession(app.pool, columns)
    await insertTranscript(app.pool, id, lines)
    return id
  }

  async function download(query = '', headers: Record<string, string> = {}) {
    const response = await app.send(`/api/v1/transcript_archive/download${query}`, {
      headers: { 'x-api-key': testKey, ...headers },
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes }
  }

  async function unpacked(query = ''): Promise<Map<string, Buffer>> {
    return readZip((await download(query)).bytes)
  }

  async function empty(): Promise<void> {
    await emptyTables(app.pool, 'sessions', 'archive_state')
    await app.pool.query('update archive_progress set scanned_through = 0')
  }

  return { empty, build, conversation, download, unpacked }
}

export const parsed = (bytes: Buffer | undefined) => JSON.parse(String(bytes))

/** Holds the entries of all transcripts, so that every reader waits. Returns the function that ends it. */
export async function holdEntries(pool: pg.Pool): Promise<() => Promise<void>> {
  const client = await pool.connect()
  await client.query('begin')
  await client.query('lock table transcript_entries in access exclusive mode')
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

/** How many queries wait for the entries. */
export async function countWaiting(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_locks where relation = 'transcript_entries'::regclass and not granted`,
  )
  return rowCount ?? 0
}
