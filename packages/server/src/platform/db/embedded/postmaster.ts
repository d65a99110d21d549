import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SystemUser, spawnIdentity } from '../../home/system-user.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { toolEnvironment } from './run-tool.ts'
import type { ServerLog } from './server-log.ts'
import { stopInSteps } from './stop-in-steps.ts'
import { stopWhenOrphaned } from './stop-when-orphaned.ts'

/** PostgreSQL's parent process, as our child process. */
export type Postmaster = { pid: number; ended: Promise<string>; stop(): Promise<NodeJS.Signals | undefined> }

export type PostmasterPlan = {
  program: string
  data: string
  socketDirectory: string
  port: number
  settings: Record<string, string>
  runAs: SystemUser | undefined
  /** How long the server outlives a Yardmaster that was killed. */
  orphanGraceSeconds: number
  serverLog: ServerLog
}

/** A server that did not start, with what it has written to its log. */
export type FailedStart = { failure: string; output: string }

export async function startPostmaster(
  plan: PostmasterPlan,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<Postmaster | FailedStart> {
  const logOffsetBytes = await plan.serverLog.sizeBytes()
  const failed = async (failure: string) => ({ failure, output: await plan.serverLog.since(logOffsetBytes) })
  const { child, ended } = await launch(plan)
  const { pid } = child
  if (pid === undefined) return failed(await ended)
  void ended.then(stopWhenOrphaned({ pid, ...plan }, plan.orphanGraceSeconds))

  const postmaster = { pid, ended, stop: () => stopInSteps({ pid, isGone: () => hasEnded(child) }) }
  const deadline = performance.now() + options.timeoutMs
  while (!hasEnded(child)) {
    const file = await readPostmasterFile(plan.data)
    if (file?.pid === pid && file.isReady) return postmaster
    if (options.signal.aborted || performance.now() > deadline) {
      await postmaster.stop()
      return failed(options.signal.aborted ? 'it was stopped' : `it was not ready after ${options.timeoutMs / 1000} s`)
    }
    await sleep(pollMs)
  }
  return failed(await ended)
}

/** A warm start takes 50 to 200 ms. Each poll costs one small read. */
const pollMs = 10

async function launch(plan: PostmasterPlan): Promise<{ child: ChildProcess; ended: Promise<string> }> {
  const log = await plan.serverLog.openForAppending()
  try {
    const child = spawn(plan.program, argumentsFor(plan), {
      ...spawnIdentity(plan.runAs),
      cwd: '/',
      env: toolEnvironment,
      stdio: ['ignore', log.fd, log.fd],
      // Its own session: Ctrl-C at the terminal must not reach it, because the drain still needs the database.
      detached: true,
    })
    // Listen in the same iteration of the event loop: a server that fails at once ends while the log is being closed.
    return { child, ended: endOf(child) }
  } finally {
    await log.close()
  }
}

function argumentsFor(plan: PostmasterPlan): string[] {
  // The setting is a list of directories; a quoted one may contain commas.
  const directories = `"${plan.socketDirectory.replaceAll('"', '""')}"`
  const settings = { port: String(plan.port), unix_socket_directories: directories, ...plan.settings }
  return ['-D', plan.data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`it could not be run: ${error.message}`))
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`),
    )
  })
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
