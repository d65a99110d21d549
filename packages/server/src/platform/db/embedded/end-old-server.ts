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
 * Clears the way for a new server on the data directory. The server of a Yardmaster that was killed runs on without us;
 * one that was killed itself leaves processes behind that hold its shared memory until they notice. We hold the home's
 * lock, so whatever runs on its data is nobody's.
 */
export async function endOldServer(data: string, log: SupervisorLog): Promise<void> {
  // PostgreSQL removes the file when it ends in order, so this is the way of nearly every start.
  if ((await readPostmasterFile(data)) === undefined) return
  const postmasters = (await findServerProcesses(data)).filter((found) => found.isPostmaster)
  for (const { pid } of postmasters) {
    log.info(`a PostgreSQL (process ${pid}) that an earlier Yardmaster left is still running on ${data}; stopping it`)
    log.info(`the PostgreSQL that was left (process ${pid}) stopped (${(await stop(pid, data)) ?? 'by itself'})`)
  }
  await endOrphans(data, log)
  await forgetReusedPid(data)
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

/** Idle ones notice at once that their postmaster is dead; one in the midst of a long query may not for minutes. */
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
        log.warn(`process ${pid} of a PostgreSQL that is gone does not end; killing it`)
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
 * PostgreSQL refuses to start while the pid in its file is alive, whoever that is by now; in a container, where pids
 * are few, it is soon someone.
 */
async function forgetReusedPid(data: string): Promise<void> {
  const file = await readPostmasterFile(data)
  if (file === undefined || (await processTable().identify(file.pid)) === undefined) return
  const isServer = (await findServerProcesses(data)).some((found) => found.pid === file.pid)
  if (!isServer) await rm(postmasterFile(data), { force: true })
}
