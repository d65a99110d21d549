import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

export type Bystander = { pid: number; stdout: Readable; ended: Promise<unknown> }

export type TestProcesses = {
  start(command: string, args: string[], env?: Record<string, string>): Bystander
  sleeper(env?: Record<string, string>): Bystander
  /** Registers a pid that the test learned from one of its own processes. */
  add(pid: number): void
  /** Kills every registered process by pid. */
  killAll(): Promise<void>
}

/** Processes that a test starts itself, not through the code under test. */
export function testProcesses(): TestProcesses {
  const started: ChildProcess[] = []
  const pids: number[] = []

  const start: TestProcesses['start'] = (command, args, env = {}) => {
    const child = spawn(command, args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    started.push(child)
    if (child.pid === undefined) throw new Error(`${command} did not start`)
    return { pid: child.pid, stdout: child.stdout, ended: once(child, 'exit') }
  }

  return {
    start,
    sleeper: (env) => start('sleep', ['1000'], env),
    add: (pid) => pids.push(pid),
    async killAll() {
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has ended already.
        }
      }
      for (const child of started) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
    },
  }
}
