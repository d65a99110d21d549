import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareDatabase, type ServerConnection } from './create-database.ts'
import { superuser } from './data-directory.ts'
import { endOldServer } from './end-old-server.ts'
import { keepRunning, type Supervisor, type SupervisorLog } from './keep-running.ts'
import { type FailedStart, type Postmaster, type PostmasterPlan, startPostmaster } from './postmaster.ts'
import { prepareServer } from './prepare-server.ts'
import { failureSentence, isHeldByOldServer } from './start-failure.ts'

export type EmbeddedPostgres = {
  /** `host` is the directory of the socket: the server does not listen on a network. */
  connection: ServerConnection
  /** By the superuser. The application never uses it. */
  administration: ServerConnection
  connectionString: string
  dataDirectory: string
  /** The folder with programs, data and log, and the one with the socket. */
  privatePaths: readonly string[]
  /** Undefined while the server is down and being restarted. */
  pid(): number | undefined
  /** Resolves when no process of the server is left. Idempotent. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  /** The real path of the home. The caller holds its lock: any other server on its data is stopped. */
  home: string
  log: SupervisorLog
  settings?: Record<string, string>
  database?: string
  /** The folder of the package with the PostgreSQL programs. Default: the one npm installed for this platform. */
  binaryPackage?: string
  startTimeoutMs?: number
  /** How long the server outlives a Yardmaster that was killed and is not started again. */
  orphanGraceSeconds?: number
}

/** Longer than crash recovery takes with the amount of write-ahead log that PostgreSQL keeps. */
const defaultStartTimeoutMs = 60_000

/** No person waits for a restart, and one that is cut short has to start over. */
const restartTimeoutMs = 600_000

/**
 * Runs PostgreSQL under the home as a child process: creates the data on the first start, stops a server that a killed
 * Yardmaster left running, and restarts the server whenever it dies, until `stop`.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, database = 'yardmaster', startTimeoutMs = defaultStartTimeoutMs } = options
  const { plan, password, passwordFile, release } = await prepareServer(options)
  const start = async (timeoutMs: number, signal: AbortSignal) => {
    await endOldServer(plan.data, log)
    return startPostmaster(plan, { timeoutMs, signal })
  }
  const first = await startFirst(plan, start, startTimeoutMs).catch(async (error) => {
    await release()
    throw error
  })
  const supervisor = keepRunning({ first, start: (signal) => start(restartTimeoutMs, signal), log })
  const removeExitHandler = interruptOnExit(supervisor)
  const stopOnce = async () => {
    await supervisor.stop()
    // Has an effect only if the server itself was killed and left processes behind.
    await endOldServer(plan.data, log)
    removeExitHandler()
    await release()
  }
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= stopOnce()
    return stopped
  }
  const administration = { host: plan.socketDirectory, port: plan.port, user: superuser, password, database }
  const connection = await prepareDatabase(administration, { data: plan.data, passwordFile }).catch(async (error) => {
    await stop()
    throw error
  })
  return {
    administration,
    connection,
    connectionString: urlOf(connection),
    dataDirectory: plan.data,
    privatePaths: [dirname(plan.data), plan.socketDirectory],
    pid: supervisor.pid,
    stop,
  }
}

/** The old processes end on their own; polling faster only wastes CPU. */
const heldRetryMs = 100

/** Retries while the last processes of the old server are still ending. Reports every other failure. */
async function startFirst(
  plan: PostmasterPlan,
  start: (timeoutMs: number, signal: AbortSignal) => Promise<Postmaster | FailedStart>,
  timeoutMs: number,
): Promise<Postmaster> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const outcome = await start(timeoutMs, new AbortController().signal)
    if ('pid' in outcome) return outcome
    if (!isHeldByOldServer(outcome.output) || performance.now() > deadline) {
      const what = `The embedded PostgreSQL on ${plan.data} did not start: ${outcome.failure}.`
      throw failureSentence(what, outcome.output, { folder: plan.data, logFile: plan.serverLog.file })
    }
    await sleep(heldRetryMs)
  }
}

/**
 * Last resort for a process that exits without calling `stop`: an exit handler cannot await, but it can send a signal.
 */
function interruptOnExit(supervisor: Supervisor): () => void {
  const interrupt = () => {
    const pid = supervisor.pid()
    try {
      if (pid !== undefined) process.kill(pid, 'SIGINT')
    } catch {
      // It has just ended.
    }
  }
  process.once('exit', interrupt)
  return () => process.off('exit', interrupt)
}

/** A URL requires a host name; the driver uses the `host` parameter. */
export function urlOf({ user, password, port, database, host }: ServerConnection): string {
  return `postgresql://${user}:${password}@localhost:${port}/${encodeURIComponent(database)}?host=${encodeURIComponent(host)}`
}
