import { readdir, readFile } from 'node:fs/promises'

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
