import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A support script in its own process, with a line protocol on stdin and stdout. */
export type LineChild = {
  pid: number
  say(line: string): void
  nextLine(): Promise<string>
  kill(): Promise<void>
}

export function startLineChild(script: URL, args: readonly string[], options: { detached?: boolean } = {}): LineChild {
  const path = fileURLToPath(script)
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: options.detached ?? false,
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`cannot start ${path}`)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid,
    say: (line) => child.stdin.write(`${line}\n`),
    nextLine: async () => {
      const { value, done } = await lines.next()
      if (done) throw new Error(`${path} ended without another line`)
      return value
    },
    kill: async () => {
      const ended = endOf(child)
      child.kill('SIGKILL')
      await ended
    },
  }
}

function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => child.once('exit', () => resolve()))
}
