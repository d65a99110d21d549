import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { type IngestHooks, ingest } from '../../../src/domain/transcripts/transcript.ts'
import { mainThread } from '../../../src/runtimes/runtime.ts'
import { testDatabase } from '../database/database.ts'
import { openTestDatabase } from '../jobs/job-host.ts'
import { plainHooks, plainRedactor } from './plain-redactor.ts'
import { insertSession } from './session-rows.ts'

export type TranscriptFixture = {
  pool: pg.Pool
  sessionId: number
  folder: string
  /** The main thread's file, which does not exist yet. */
  path: string
  read(file?: string, thread?: string): ReturnType<typeof ingest>
  /** As `read`, after the agent has ended. */
  readLast(): ReturnType<typeof ingest>
  /** As `readLast`, with these hooks. */
  ingestWith(hooks: Partial<IngestHooks>): ReturnType<typeof ingest>
  /** The stored lines; fails if their sequence numbers have a gap. */
  lines(thread?: string): Promise<string[]>
}

/** A session, the path of its transcript file, and functions to ingest the file and to read what was stored. */
export async function transcriptFixture(): Promise<TranscriptFixture> {
  const { url, pool } = await testDatabase()
  const { db } = openTestDatabase(url)
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-transcript-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const sessionId = await insertSession(pool)
  const path = join(folder, 'main.jsonl')
  const ingestWith: TranscriptFixture['ingestWith'] = (hooks) =>
    ingest(
      { db, redactor: plainRedactor },
      { sessionId, thread: mainThread },
      { path, within: folder, isOver: true },
      { ...plainHooks, ...hooks },
    )
  return {
    pool,
    sessionId,
    folder,
    path,
    read: (file = path, thread = mainThread) =>
      ingest({ db, redactor: plainRedactor }, { sessionId, thread }, { path: file, within: folder }, plainHooks),
    readLast: () => ingestWith({}),
    ingestWith,
    lines: async (thread = mainThread) => {
      const { rows } = await pool.query(
        'select sequence, line from transcript_entries where session_id = $1 and thread = $2 order by sequence',
        [sessionId, thread],
      )
      expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
      return rows.map(({ line }) => line)
    },
  }
}
