import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoOf } from '../../process/errno.ts'
import { processTable } from '../../process/process-table.ts'
import { StartupError } from '../../startup-error.ts'
import type { SupervisorLog } from './keep-running.ts'
import { postmasterFile, readPostmasterFile } from './postmaster-file.ts'
import { findServerProcesses } from './server-processes.ts'
import { stopInSteps } from './stop-in-steps.ts'

/**
 * Stops everything that still runs on the data directory. When Yardmaster is killed, its server keeps running. When the
 * server is killed, its child processes hold the shared memory until they notice. We hold the lock of the home, so no
 * other Yardmaster uses these processes.
 */
export async function endOldServer(data: string, log: SupervisorLog): Promise<void> {
  // PostgreSQL removes the file on a clean stop, so nearly every start returns here.
  if ((await readPostmasterFile(data)) === undefined) return
  const postmasters = (await findServerProcesses(data)).filter((found) => found.isPostmaster)
  for (const { pid } of postmasters) {
    log.info(`a PostgreSQL (process ${pid}) of an earlier Yardmaster is still running on ${data}; stopping it`)
    log.info(`the earlier PostgreSQL (process ${pid}) stopped (${(await stop(pid, data)) ?? 'it had ended already'})`)
  }
  await endOrphans(data, log)
  await removeStalePidFile(data)
}

async function stop(pid: number, data: string): Promise<NodeJS.Signals | undefined> {
  const table = processTable()
  const identity = await table.identify(pid)
  if (identity === undefined) return undefined
  try {
    return await stopInSteps({ pid, isGone: async () => !(await table.isRunning(identity)) })
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error
    throw new StartupError(
      `A PostgreSQL of another user (process ${pid}) is running on ${data}. Stop it and start again.`,
    )
  }
}

/** Idle processes notice at once that their postmaster is dead; one in a long query may take minutes. */
const noticeMs = 1_000

async function endOrphans(data: string, log: SupervisorLog): Promise<void> {
  const noticedBy = performance.now() + noticeMs
  const killedBy = noticedBy + noticeMs
  const killed = new Set<number>()
  while (performance.now() < killedBy) {
    const orphans = (await findServerProcesses(data)).filter((found) => !found.isPostmaster)
    if (orphans.length === 0) return
    if (performance.now() > noticedBy) {
      for (const { pid } of orphans.filter((orphan) => !killed.has(orphan.pid))) {
        log.warn(`process ${pid} of a dead PostgreSQL is still running; killing it`)
        killed.add(pid)
        kill(pid)
      }
    }
    await sleep(20)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error
  }
}

/**
 * PostgreSQL refuses to start while a process with the pid in its file runs, whichever process that is. In a container,
 * where pids are few, they are soon reused.
 */
async function removeStalePidFile(data: string): Promise<void> {
  const file = await readPostmasterFile(data)
  if (file === undefined || (await processTable().identify(file.pid)) === undefined) return
  const isServer = (await findServerProcesses(data)).some((found) => found.pid === file.pid)
  if (!isServer) await rm(postmasterFile(data), { force: true })
}
