import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { childEnvironment } from '../../../src/platform/process/environment.ts'
import { type Child, launch } from '../../../src/platform/process/launch.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import { sweepMarked } from '../../../src/platform/process/stop.ts'

export type LaunchFolder = {
  folder: string
  /** Launches a shell script, or a Node script if `node` is given, under its own marker. */
  launch(script: { sh: string } | { node: string }, options?: Partial<Parameters<typeof launch>[0]>): Promise<Child>
  /** Waits until the file exists and ends in a newline, and returns its content. */
  written(name: string): Promise<string>
  close(): Promise<void>
}

/** A temporary folder and the children launched in it. Closing kills the children and removes the folder. */
export async function launchFolder(): Promise<LaunchFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-process-'))
  const markers: string[] = []

  return {
    folder,
    async launch(script, options = {}) {
      const marker = options.marker ?? newRunMarker()
      markers.push(marker)
      const program = 'sh' in script ? ['sh', '-c', script.sh] : [process.execPath, await saved(folder, script.node)]
      const [command = '', ...args] = program
      return launch({ command, args, cwd: folder, env: childEnvironment({}), ...options, marker })
    },
    written: (name) =>
      vi.waitFor(
        async () => {
          const text = await readFile(join(folder, name), 'utf8')
          if (!text.endsWith('\n')) throw new Error(`${name} is not finished`)
          return text
        },
        { timeout: 120_000, interval: 20 },
      ),
    async close() {
      for (const marker of markers) await sweepMarked(marker)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function saved(folder: string, script: string): Promise<string> {
  const file = join(folder, 'script.mjs')
  await writeFile(file, script)
  return file
}

/** The pids that still run. A zombie does not. */
export async function stillRunning(pids: readonly number[]): Promise<number[]> {
  const identities = await Promise.all(pids.map((pid) => processTable().identify(pid)))
  return identities.flatMap((identity) => identity?.pid ?? [])
}
