import { randomInt } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { type ProcessIdentity, processTable } from '../../../src/platform/process/process-table.ts'
import { eventually } from '../vitest/eventually.ts'

/**
 * The pids, as the test sees them, of processes with this command line. A confined agent counts its own processes from 1,
 * so what `$$` prints there means nothing here. Linux only, as is confinement.
 */
export async function pidsOf(command: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return text.replaceAll('\0', ' ').trimEnd() === command ? [Number(pid)] : []
    }),
  )
  return found.flat()
}

/** A command that no other process has, for an agent to run as `exec ...`. */
export function newSleep(): string {
  return `sleep 4321.${randomInt(1_000_000_000)}`
}

/** The process with this command line, once it runs. */
export async function toolRunning(command: string): Promise<ProcessIdentity> {
  const [tool] = await eventually(
    async () => {
      const found = await Promise.all((await pidsOf(command)).map((pid) => processTable().identify(pid)))
      return found.filter((one) => one !== undefined)
    },
    ({ length }) => length > 0,
  )
  if (!tool) throw new Error(`${command} does not run`)
  return tool
}
