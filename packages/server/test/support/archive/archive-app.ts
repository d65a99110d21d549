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
