import { createHash } from 'node:crypto'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import {
  type ArchivedSession,
  type ArchivedSubagent,
  type FileSource,
  insertFiles,
  type StoredFile,
  selectArchivedSession,
  selectArchivedSubagents,
  supersedeFiles,
  upsertArchivedSession,
} from './archive-store.ts'
import { fileContent } from './file-content.ts'
import { fileNames } from './file-name.ts'

type ArchiveApp = Pick<App, 'db' | 'redactor'>

/**
 * Stores the files of a session as they are now. They are read in one snapshot; what is appended later belongs to the next
 * version. Checksums are computed outside of a transaction, because a transcript may take minutes to read.
 */
export async function storeSession(app: ArchiveApp, sessionId: number): Promise<void> {
  const found = await app.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const session = await selectArchivedSession(tx, sessionId, mainThread)
      return session && { session, subagents: await selectArchivedSubagents(tx, sessionId) }
    })
  if (!found) return
  const files: StoredFile[] = []
  for (const { name, ...source } of await filesOf(app, found.session, found.subagents))
    files.push({ name, ...source, ...(await measure(app, source)) })
  await transact(app.db, async (tx) => {
    if (!(await upsertArchivedSession(tx, sessionId, found.session.version))) return
    await supersedeFiles(tx, sessionId, files)
    await insertFiles(tx, files)
  })
}

type NamedSource = FileSource & Pick<StoredFile, 'name'>

async function filesOf(
  app: ArchiveApp,
  session: ArchivedSession,
  subagents: readonly ArchivedSubagent[],
): Promise<NamedSource[]> {
  const { version: _, main_count: count, created_at, updated_at, archived_at, ...fields } = session
  const times = {
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
    archived_at: archived_at && formatTimestamp(archived_at),
  }
  const { goal, mcp_servers, ...first } = fields
  const main = {
    session_id: session.id,
    name: `sessions/${session.id}.json`,
    head: await headOf(app, { ...first, ...times, goal, mcp_servers }),
    thread: mainThread,
    entry_count: count,
    text: null,
  }
  const nameFor = fileNames()
  const others: NamedSource[] = []
  for (const subagent of subagents)
    others.push(await subagentFile(app, subagent, nameFor(await app.redactor.text(subagent.agent_id), subagent.id)))
  return [main, ...others]
}

async function subagentFile(app: ArchiveApp, subagent: ArchivedSubagent, name: string): Promise<NamedSource> {
  const { id: _, thread, entry_count, text, session_id, created_at, updated_at, ...fields } = subagent
  const times = { created_at: formatTimestamp(created_at), updated_at: formatTimestamp(updated_at) }
  return {
    session_id,
    name: `sessions/${session_id}/subagent_transcripts/${name}.json`,
    head: await headOf(app, { ...fields, session_id, ...times }),
    thread,
    entry_count,
    text: thread === null ? text : null,
  }
}

/** Entries are redacted when they are stored. A prompt or a title of a caller is not. */
async function headOf(app: ArchiveApp, fields: Record<string, unknown>): Promise<string> {
  const shown = await Promise.all(
    Object.entries(fields).map(async ([key, value]) => [
      key,
      typeof value === 'string' ? await app.redactor.text(value) : value,
    ]),
  )
  return `${JSON.stringify(Object.fromEntries(shown)).slice(0, -1)},"transcript":"`
}

async function measure(app: ArchiveApp, source: FileSource): Promise<Pick<StoredFile, 'size_bytes' | 'sha256'>> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of fileContent(app.db, source)) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size_bytes: size, sha256: hash.digest('hex') }
}
