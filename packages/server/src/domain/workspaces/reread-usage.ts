import { transact } from '../../platform/db/transact.ts'
import { ifUntrusted, UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import { type Conversation, mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { Usage } from '../../runtimes/usage.ts'
import { type App, handleJob } from '../app.ts'
import {
  endHandOver,
  findLatestRun,
  finishRun,
  type HandOver,
  insertHandOver,
  ownerOf,
  type Run,
  recordFailure,
  recordRows,
  recordSession,
  recordStart,
  recordUsage,
  selectLostHandOvers,
  startRun,
  summaryOwnerOf,
} from '../costs/cost.ts'
import { findLiveHosts, isHostAlive } from '../hosts/hosts.ts'
import { lockSessionIfThere, readMetadata, type SessionRow, selectSession } from '../sessions/session.ts'
import { outlineOf, storedLines, transcriptLinesOf } from '../transcripts/transcript.ts'
import { runtimeHome } from './folders.ts'
import { rereadUsageJob } from './reread-usage-job.ts'
import { countSessions, selectSessionsAfter, selectThreads } from './sweep-store.ts'

/** Sessions in one slice. */
const sliceSize = 25
/** After this a slice ends, and the next one begins. */
const sliceMs = 2 * 60_000
/** More than all attempts of a job take on a busy host. */
const maxHandOverHours = 1

/**
 * Reads one slice of the sweep that completes the ledger. The cursor moves after each session, so a crash repeats one session at
 * most, and a repeated session adds nothing. The first sweep starts by itself when there is something to read.
 */
export async function sweepUsage(app: App, signal: AbortSignal): Promise<RunResult> {
  const run = await openRun(app)
  if (!run) return 'done'
  const endsAtMs = app.clock.now().getTime() + sliceMs
  const ids = await selectSessionsAfter(app.db, run.last_session_id, sliceSize)
  if (run.started_at === null) {
    // A sweep that has read nothing must not count as one.
    if (ids.length === 0) {
      await recordFailure(app.db, run.id, { failure: 'There is no transcript to read yet.' })
      return 'done'
    }
    await recordStart(app.db, run, await countSessions(app.db))
  }
  for (const sessionId of ids) {
    if (signal.aborted) return 'done'
    if (app.clock.now().getTime() >= endsAtMs) return 'again'
    const read = () => sweepSession(app, { runId: run.id, sessionId, signal })
    const swept = await noteFailure(app, { runId: run.id, sessionId, signal }, read)
    if (!swept) return 'done'
    await recordSession(app.db, run, { sessionId, ...swept })
  }
  if (ids.length === sliceSize) return 'again'
  await giveUpLostHandOvers(app, run.id)
  await finishRun(app.db, run.id)
  return 'done'
}

type Reading = { runId: number; sessionId: number; signal?: AbortSignal }

/** Undefined if the reading was interrupted. It begins again then. */
async function noteFailure<T>(app: App, { runId, sessionId, signal }: Reading, read: () => Promise<T>) {
  try {
    return await read()
  } catch (error) {
    if (signal?.aborted) return undefined
    const failure = `Session ${sessionId} could not be read on host ${app.home.hostId} and is tried again; the server log has the details.`
    await recordFailure(app.db, runId, { sessionId, failure })
    throw error
  }
}

async function giveUpLostHandOvers(app: App, runId: number): Promise<void> {
  const liveHosts = await findLiveHosts(app.db)
  for (const { sessionId, hostId } of await selectLostHandOvers(app.db, runId, {
    liveHosts,
    maxHours: maxHandOverHours,
  })) {
    const problem = liveHosts.includes(hostId)
      ? `Host ${hostId} has not read the files of session ${sessionId} within an hour.`
      : deadHostProblem(sessionId, hostId)
    await transact(app.db, (tx) => endHandOver(tx, { runId, sessionId, problem }))
  }
}

function suspectProblem(sessionId: number): string {
  return `The history of session ${sessionId} was not read: its agent reported calls that cannot have been made.`
}

function deadHostProblem(sessionId: number, hostId: string): string {
  return `The files of session ${sessionId} were not read, because its host ${hostId} is not alive.`
}

async function openRun(app: App): Promise<Run | undefined> {
  const latest = await findLatestRun(app.db)
  if (latest) return latest.finished_at === null ? latest : undefined
  const [first] = await selectSessionsAfter(app.db, 0, 1)
  return first === undefined ? undefined : startRun(app.db, 'automatic')
}

type Swept = { threadCount: number; problem?: string | undefined }

/** The stored lines here, and the files on the host that has them, because some agents report usage only there. */
async function sweepSession(app: App, reading: Reading): Promise<Swept> {
  const { runId, sessionId } = reading
  const session = await selectSession(app.db, { id: sessionId })
  if (!session) return { threadCount: 0 }
  if (readMetadata(session).has_suspect_calls) return { threadCount: 0, problem: suspectProblem(sessionId) }
  const threads = await selectThreads(app.db, sessionId)
  const threadCount = threads.length
  const runtime = app.runtimes.find(session.agent_runtime)
  if (!runtime) return { threadCount, problem: missingRuntimeProblem(app, session) }
  const add = adder(app, reading, session)
  for (const { thread, isSummary } of threads) {
    const lines = storedLines(app.db, { sessionId, thread })
    const isSubagent = thread !== mainThread && !isSummary
    await add(usagesIn(lines, runtime, { isSubagent, signal: reading.signal }), isSummary)
  }
  const { host_id: hostId } = session
  if (hostId === null || !conversationOf(app, session)) return { threadCount }
  if (hostId === app.home.hostId) await readFiles(app, reading, session, runtime)
  else if (!(await handOver(app, { runId, sessionId, hostId })))
    return { threadCount, problem: deadHostProblem(sessionId, hostId) }
  return { threadCount }
}

function missingRuntimeProblem({ home }: App, { id, agent_runtime }: SessionRow): string {
  return `Session ${id} has the runtime ${agent_runtime}, which is not registered on host ${home.hostId}.`
}

/** False if the other host is not alive. */
function handOver(app: App, { hostId, ...payload }: HandOver): Promise<boolean> {
  return transact(app.db, async (tx) => {
    if (!(await isHostAlive(tx, hostId))) return false
    await insertHandOver(tx, { hostId, ...payload })
    const key = `${rereadUsageJob.name}:${payload.sessionId}`
    await enqueue(tx, rereadUsageJob, payload, { hostId, key })
    return true
  })
}

export const rereadUsage = handleJob(rereadUsageJob, async (reading, app) => {
  const session = await selectSession(app.db, { id: reading.sessionId })
  const problem = session && (await noteFailure(app, reading, () => readFilesOf(app, reading, session)))
  await transact(app.db, (tx) => endHandOver(tx, { ...reading, problem }))
})

/** Returns why they were not read. */
async function readFilesOf(app: App, reading: Reading, session: SessionRow): Promise<string | undefined> {
  const runtime = app.runtimes.find(session.agent_runtime)
  if (!runtime) return missingRuntimeProblem(app, session)
  if (session.host_id !== app.home.hostId)
    return `Session ${session.id} left host ${app.home.hostId} before its files were read there.`
  await readFiles(app, reading, session, runtime)
  return undefined
}

async function readFiles(app: App, reading: Reading, session: SessionRow, runtime: Runtime): Promise<void> {
  const conversation = conversationOf(app, session)
  if (!conversation) return
  const add = adder(app, reading, session)
  for (const { thread, path } of await runtime.transcriptFiles(conversation).catch(ifUntrusted([]))) {
    const lines = linesOf({ path, within: conversation.home })
    await add(usagesIn(lines, runtime, { isSubagent: thread !== mainThread, signal: reading.signal }), false)
  }
}

/** Undefined before the first turn. */
function conversationOf(app: App, session: SessionRow): Conversation | undefined {
  const { working_directory: workingDirectory } = readMetadata(session)
  if (session.session_id === null || workingDirectory === undefined) return undefined
  return { id: session.session_id, home: runtimeHome(app, session.id), workingDirectory }
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
  { isSubagent, signal }: { isSubagent: boolean; signal: AbortSignal | undefined },
): AsyncGenerator<Usage> {
  for await (const line of lines) {
    signal?.throwIfAborted()
    const outline = await outlineOf(line)
    const usage = outline === undefined ? undefined : runtime.usageOf(outline)
    if (usage && !usage.request_id.includes('[REDACTED')) yield { ...usage, subagent: usage.subagent || isSubagent }
  }
}

const batchSize = 500

/** Writes in batches, each in a transaction of its own with its count. */
function adder(app: App, { runId }: Reading, session: SessionRow) {
  const write = (usages: readonly Usage[], isSummary: boolean): Promise<void> =>
    transact(app.db, async (tx) => {
      const locked = await lockSessionIfThere(tx, { id: session.id })
      if (!locked || readMetadata(locked).has_suspect_calls) return
      const owner = isSummary ? summaryOwnerOf(session) : ownerOf(session, session.session_id)
      const { calls } = await recordUsage(app, tx, { ...owner, isHistory: true }, usages)
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
