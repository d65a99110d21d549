import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A line of a prompt at which a demo agent waits until the test opens the gate: on a busy machine the test may not look while an
 * agent sleeps for a second. The folder is one that agents see, such as `app.shared`.
 */
export function agentGate(folder: string): { line: string; command: string; open(): Promise<void> } {
  const file = join(folder, `gate-${randomUUID()}`)
  const command = `until [ -e ${file} ]; do sleep 0.2; done`
  return { line: `run ${command}`, command, open: () => writeFile(file, '') }
}
