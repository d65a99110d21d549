import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabaseIfMissing, type ServerConnection } from './create-database.ts'
import { superuser } from './data-directory.ts'
import { endOldServer } from './end-old-server.ts'
import { type Keeper, keepRunning, type SupervisorLog } from './keep-running.ts'
import { type FailedStart, type Postmaster, type PostmasterPlan, startPostmaster } from './postmaster.ts'
import { prepareServer } from './prepare-server.ts'
import { failureSentence, isHeldByOldServer } from './start-failure.ts'

export type EmbeddedPostgres = {
  /** `host` is the directory of the socket: the server does not listen on any network. */
  connection: ServerConnection
  connectionString: string
  dataDirectory: string
  /** Undefined while the server is down and being brought back. */
  pid(): number | undefined
  /** Returns once no process of the server is left. May be called again. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  /** The home's real path. The caller holds its lock: whatever else runs on the home's data is ended. */
  home: string
  log: SupervisorLog
  settings?: Record<string, string>
  database?: string
  /** The folder of the package with PostgreSQL's programs; the one npm installed for this platform if left out. */
  binaryPackage?: string
  startTimeoutMs?: number
}

/** Longer than recovery after a crash takes with the amount of write-ahead log PostgreSQL allows itself. */
const defaultStartTimeoutMs = 60_000

/** Nobody waits at a terminal for a restart, and one that is cut short has to begin anew. */
const restartTimeoutMs = 600_000

/**
 * Runs PostgreSQL under the home as a child of ours: creates the data at the first start, ends what a killed Yardmaster
 * left running, and starts the server again whenever it dies, until `stop`.
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
  const keeper = keepRunning({ first, start: (signal) => start(restartTimeoutMs, signal), log })
  const forgetExit = interruptOnExit(keeper)
  const stopOnce = async () => {
    await keeper.stop()
    // Nothing to do, unless the server itself was killed and left its own processes to us.
    await endOldServer(plan.data, log)
    forgetExit()
    await release()
  }
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= stopOnce()
    return stopped
  }
  const connection = { host: plan.socketDirectory, port: plan.port, user: superuser, password, database }
  try {
    await createDatabaseIfMissing(connection, { data: plan.data, passwordFile })
  } catch (error) {
    await stop()
    throw error
  }
  return { connection, connectionString: urlOf(connection), dataDirectory: plan.data, pid: keeper.pid, stop }
}

/** Its processes end by themselves; asking more often only burns time. */
const heldRetryMs = 100

/** The old server's last processes may take a moment to let go; anything else that keeps it from starting is told. */
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

/** The last resort of a program that exits without stopping us: nothing can be awaited then, but a signal can be sent. */
function interruptOnExit(keeper: Keeper): () => void {
  const interrupt = () => {
    const pid = keeper.pid()
    try {
      if (pid !== undefined) process.kill(pid, 'SIGINT')
    } catch {
      // It ended by itself a moment ago.
    }
  }
  process.once('exit', interrupt)
  return () => process.off('exit', interrupt)
}

/** The name before the port is only there because a URL needs one. */
function urlOf({ user, password, port, database, host }: ServerConnection): string {
  return `postgresql://${user}:${password}@localhost:${port}/${encodeURIComponent(database)}?host=${encodeURIComponent(host)}`
}
