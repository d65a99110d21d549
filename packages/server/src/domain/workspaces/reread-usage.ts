import { transact } from '../../platform/db/transact.ts'
import { ifUntrusted, UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { type Conversation, mainThread, type Runtime, type TranscriptFile, type Usage } from '../../runtimes/runtime.ts'
import { type App, handleJob } from '../app.ts'
import {
  findLatestRun,
  finishRun,
  type Run,
  recordProblem,
  recordRows,
  recordSession,
  recordStart,
  recordUsage,
  startRun,
  type UsageOwner,
} from '../costs/cost.ts'
import { isHostAlive } from '../hosts/hosts.ts'
import { lockSessionIfThere, readMetadata, type SessionRow, selectSession } from '../sessions/session.ts'
import { outlineOf, storedLines, transcriptLinesOf } from '../transcripts/transcript.ts'
import { runtimeHome } from './folders.ts'
import { rereadUsageJob } from './reread-usage-job.ts'
import { countSessions, selectSessionsAfter, selectThreads } from './sweep-store.ts'

/** Sessions in one slice. */
const sliceSize = 25

/**
 * Reads one slice of the sweep that adds missing calls to the ledger. The cursor moves after each session, so a crash repeats
 * one session at most, and a repeated session adds nothing. The first sweep starts by itself when there is something to read.
 */
export async function sweepUsage(app: App, signal: AbortSignal): Promise<RunResult> {
  const run = await openRun(app)
  if (!run) return 'done'
  try {
    const ids = await selectSessionsAfter(app.db, run.last_session_id, sliceSize)
    if (run.started_at === null) {
      // A sweep that has read nothing must not count as one.
      if (ids.length === 0) {
        await recordProblem(app.db, run, 'There is no transcript to read yet.')
        return 'done'
      }
      await recordStart(app.db, run, await countSessions(app.db))
    }
    for (const sessionId of ids) {
      if (signal.aborted) return 'done'
      await recordSession(app.db, run, { sessionId, ...(await sweepSession(app, run.id, sessionId)) })
    }
    if (ids.length === sliceSize) return 'again'
    await finishRun(app.db, run)
    return 'done'
  } catch (error) {
    await recordProblem(app.db, run, 'A session could not be read; the server log has the details.')
    throw error
  }
}

async function openRun(app: App): Promise<Run | undefined> {
  const latest = await findLatestRun(app.db)
  if (latest) return latest.finished_at === null ? latest : undefined
  const [first] = await selectSessionsAfter(app.db, 0, 1)
  return first === undefined ? undefined : startRun(app.db, 'automatic')
}

type Swept = { threadCount: number; problem: string | undefined }

/** On the host with its files, because some agents report usage only there. */
async function sweepSession(app: App, runId: number, sessionId: number): Promise<Swept> {
  const session = await selectSession(app.db, { id: sessionId })
  if (!session) return { threadCount: 0, problem: undefined }
  const { host_id: hostId } = session
  if (hostId !== null && hostId !== app.home.hostId && (await handOver(app, { runId, sessionId, hostId }))) {
    return { threadCount: (await selectThreads(app.db, sessionId)).length, problem: undefined }
  }
  return rereadHere(app, runId, session)
}

/** False if the other host is not alive. */
function handOver(
  app: App,
  { hostId, ...payload }: { runId: number; sessionId: number; hostId: string },
): Promise<boolean> {
  return transact(app.db, async (tx) => {
    if (!(await isHostAlive(tx, hostId))) return false
    const key = `${rereadUsageJob.name}:${payload.sessionId}`
    await enqueue(tx, rereadUsageJob, payload, { hostId, key })
    return true
  })
}

export const rereadUsage = handleJob(rereadUsageJob, async ({ runId, sessionId }, app) => {
  const session = await selectSession(app.db, { id: sessionId })
  if (session) await rereadHere(app, runId, session)
})

async function rereadHere(app: App, runId: number, session: SessionRow): Promise<Swept> {
  const runtime = app.runtimes.find(session.agent_runtime)
  const threads = await selectThreads(app.db, session.id)
  const threadCount = threads.length
  if (!runtime) {
    const problem = `Session ${session.id} has the runtime ${session.agent_runtime}, which is not registered on its host.`
    return { threadCount, problem }
  }
  const add = adder(app, runId, session)
  for (const { thread, isSummary } of threads) {
    const lines = storedLines(app.db, { sessionId: session.id, thread })
    await add(usagesIn(lines, runtime, { isSubagent: thread !== mainThread && !isSummary }), isSummary)
  }
  for (const { thread, path } of await filesOf(app, session, runtime)) {
    const lines = linesOf({ path, within: runtimeHome(app, session.id) })
    await add(usagesIn(lines, runtime, { isSubagent: thread !== mainThread }), false)
  }
  return { threadCount, problem: undefined }
}

async function filesOf(app: App, session: SessionRow, runtime: Runtime): Promise<TranscriptFile[]> {
  const { working_directory: workingDirectory } = readMetadata(session)
  if (session.host_id !== app.home.hostId || session.session_id === null || workingDirectory === undefined) return []
  const conversation: Conversation = {
    id: session.session_id,
    home: runtimeHome(app, session.id),
    workingDirectory,
  }
  return runtime.transcriptFiles(conversation).catch(ifUntrusted([]))
}

/** A file that is refused, such as a pipe, reports no usage. */
async function* linesOf(file: { path: string; within: string }): AsyncGenerator<string> {
  try {
    for await (const { text } of transcriptLinesOf(file, { fromByte: 0 })) yield text
  } catch (error) {
    if (!(error instanceof UntrustedFile)) throw error
  }
}

/** A stored line is redacted. A request id that is not the original one would count a call twice. */
async function* usagesIn(
  lines: AsyncIterable<string>,
  runtime: Runtime,
  { isSubagent }: { isSubagent: boolean },
): AsyncGenerator<Usage> {
  for await (const line of lines) {
    const outline = await outlineOf(line)
    const usage = outline === undefined ? undefined : runtime.usageOf(outline)
    if (usage && !usage.request_id.includes('[REDACTED')) yield { ...usage, subagent: usage.subagent || isSubagent }
  }
}

const batchSize = 500

/** Writes in batches, each in a transaction of its own with its count. */
function adder(app: App, runId: number, session: SessionRow) {
  const owner: UsageOwner = {
    session_id: session.id,
    agent_root: readMetadata(session).agent_root_key ?? null,
    agent_runtime: session.agent_runtime,
    runtime_session_id: session.session_id,
  }
  const write = (usages: readonly Usage[], isSummary: boolean): Promise<void> =>
    transact(app.db, async (tx) => {
      if (!(await lockSessionIfThere(tx, { id: session.id }))) return
      const of = isSummary ? { ...owner, runtime_session_id: null, source: 'status_summary' as const } : owner
      const { calls } = await recordUsage(tx, of, usages)
      if (calls > 0) await recordRows(tx, runId, calls)
    })
  return async (usages: AsyncIterable<Usage>, isSummary: boolean): Promise<void> => {
    let batch: Usage[] = []
    for await (const usage of usages) {
      batch.push(usage)
      if (batch.length < batchSize) continue
      await write(batch, isSummary)
      batch = []
    }
    if (batch.length > 0) await write(batch, isSummary)
  }
}
