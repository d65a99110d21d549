import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ingest } from '../../src/domain/transcripts/transcript.ts'
import { openDatabase, openPool } from '../../src/platform/db/database.ts'
import { testDatabase } from '../support/database.ts'
import { nothingAlongside, plainRedactor } from '../support/plain-redactor.ts'
import { insertSession } from '../support/session-rows.ts'
import { silentLog } from '../support/silent-log.ts'

async function desk() {
  const { url, pool } = await testDatabase()
  const db = openDatabase(openPool({ connectionString: url }, { max: 8, log: silentLog, name: 'test' }))
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-ingest-'))
  onTestFinished(async () => {
    await db.destroy()
    await rm(folder, { recursive: true })
  })
  const sessionId = await insertSession(pool)
  const path = join(folder, 'main.jsonl')
  return {
    path,
    read: () => ingest({ db, redactor: plainRedactor }, { sessionId, thread: 'main' }, path, nothingAlongside),
    lines: async (): Promise<string[]> =>
      (await pool.query('select line from transcript_entries order by sequence')).rows.map(({ line }) => line),
  }
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => JSON.stringify({ n: from + n }))

test('readers of one file at the same moment store each line once, in order', async () => {
  const { path, read, lines } = await desk()
  await writeFile(path, `${numbered(0, 2500).join('\n')}\n`)
  const counts = await Promise.all([read(), read(), read(), read()])
  await read()
  expect(await lines()).toEqual(numbered(0, 2500))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2500)
})

test('a file that grows while several read it is stored whole, each line once', async () => {
  const { path, read, lines } = await desk()
  await writeFile(path, '')
  const writing = (async () => {
    for (let from = 0; from < 1000; from += 10) {
      const text = `${numbered(from, from + 10).join('\n')}\n`
      await appendFile(path, text.slice(0, 33))
      await appendFile(path, text.slice(33))
    }
  })()
  let isWritten = false
  const readers = Array.from({ length: 3 }, async () => {
    while (!isWritten) await read()
  })
  await writing
  isWritten = true
  await Promise.all(readers)
  await read()
  expect(await lines()).toEqual(numbered(0, 1000))
})
