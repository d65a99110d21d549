import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { measure } from './file-content.ts'
import { fileNames } from './file-name.ts'
import {
  discardStaged,
  ensureArchivedSession,
  type LiveFile,
  type NewFile,
  publishFiles,
  selectLiveFiles,
  stageFile,
  updateMeasures,
} from './file-store.ts'
import {
  type ArchivedSession,
  type ArchivedSubagent,
  selectArchivedSession,
  selectArchivedSubagents,
} from './source-store.ts'

type ArchiveApp = Pick<App, 'db' | 'redactor'>

/**
 * Stores the files of a session as they are now, one at a time, and then publishes all of them at once. The version is read
 * first: what changes meanwhile differs from it and is found by the next run. Checksums are computed outside of a
 * transaction, because a transcript may take minutes to read. An abort ends it at the next query.
 */
export async function storeSession(app: ArchiveApp, sessionId: number, signal: AbortSignal): Promise<void> {
  const session = await selectArchivedSession(app.db, sessionId, mainThread)
  if (!session) return
  const storedBefore = await ensureArchivedSession(app.db, sessionId)
  if (storedBefore === undefined) return
  const live = new Map((await selectLiveFiles(app.db, sessionId)).map((file) => [file.name, file]))
  const files: number[] = []
  if (session.is_source)
    for await (const file of filesOf(app, session)) files.push(await storeFile(app, file, live.get(file.name), signal))
  await transact(app.db, (tx) => publishFiles(tx, { sessionId, version: session.version, files, storedBefore }))
}

/** `head` is called only for a file that changed. `textOf`: the subagent whose text callers sent. */
type DescribedFile = Omit<NewFile, 'head'> & { version: string; head(): Promise<string>; textOf?: number }

/** The id of the stored file: of the live one, if nothing changed. */
async function storeFile(
  { db }: ArchiveApp,
  { head, textOf, ...file }: DescribedFile,
  live: LiveFile | undefined,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted()
  if (live?.version === file.version) return live.id
  const described = { ...file, head: await head() }
  const staged = await transact(db, (tx) => stageFile(tx, described, textOf))
  const measures = await measure(db, staged, (query) => {
    signal.throwIfAborted()
    return query()
  })
  await updateMeasures(db, staged.id, measures)
  if (live?.sha256 !== measures.sha256) return staged.id
  await discardStaged(db, staged.id, live, file.version)
  return live.id
}

/** Subagents in memory at a time. */
const pageSubagents = 100

async function* filesOf(app: ArchiveApp, session: ArchivedSession): AsyncGenerator<DescribedFile> {
  yield sessionFile(app, session)
  const nameFor = fileNames()
  for (let after = 0; ; ) {
    const subagents = await selectArchivedSubagents(app.db, session.id, { after, limit: pageSubagents })
    for (const subagent of subagents) {
      const name = nameFor(await app.redactor.text(subagent.agent_id), subagent.id)
      yield subagentFile(app, subagent, name)
      after = subagent.id
    }
    if (subagents.length < pageSubagents) return
  }
}

function sessionFile(app: ArchiveApp, session: ArchivedSession): DescribedFile {
  const { is_source: _, version: __, file_version: version, entry_count, goal, mcp_servers, ...fields } = session
  const { created_at, updated_at, archived_at, ...first } = fields
  const times = {
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
    archived_at: archived_at && formatTimestamp(archived_at),
  }
  return {
    session_id: session.id,
    name: `sessions/${session.id}.json`,
    version,
    thread: mainThread,
    entry_count,
    head: () => headOf(app, { ...first, ...times, goal, mcp_servers }),
  }
}

function subagentFile(app: ArchiveApp, subagent: ArchivedSubagent, name: string): DescribedFile {
  const { id, thread, entry_count, session_id, file_version: version, created_at, updated_at, ...fields } = subagent
  const times = { created_at: formatTimestamp(created_at), updated_at: formatTimestamp(updated_at) }
  return {
    session_id,
    name: `sessions/${session_id}/subagent_transcripts/${name}.json`,
    version,
    thread,
    entry_count,
    ...(thread === null && { textOf: id }),
    head: () => headOf(app, { ...fields, session_id, ...times }),
  }
}

/** Entries are redacted when they are stored. A prompt, a title or the name of a server is not. */
async function headOf({ redactor }: ArchiveApp, fields: Record<string, unknown>): Promise<string> {
  const shown = async (value: unknown): Promise<unknown> => {
    if (typeof value === 'string') return redactor.text(value)
    return Array.isArray(value) ? Promise.all(value.map(shown)) : value
  }
  const all = await Promise.all(Object.entries(fields).map(async ([key, value]) => [key, await shown(value)]))
  return `${JSON.stringify(Object.fromEntries(all)).slice(0, -1)},"transcript":"`
}
