import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { KnownSecret } from './known-values.ts'
import { areSame, type Counts } from './redaction.ts'
import type { Rule } from './rule.ts'

/** What a thread is asked, and its answer. `known` is sent only when it has changed. */
export type ThreadRequest = { lines: readonly string[]; known?: readonly KnownSecret[] }
export type ThreadAnswer = { lines: string[]; counts: Counts }

export type Thread = {
  program: string
  /** How many seconds a text of this length may take. */
  budgetSeconds(characters: number): number
  /** The length of a second; shorter in tests. */
  tickMs: number
}

type Threads = {
  /** Rejects if the thread crashes or exceeds the budget. */
  run(lines: readonly string[], known: readonly KnownSecret[]): Promise<ThreadAnswer>
  close(): Promise<void>
}

/** Always the built file, even if this module runs from source: Node runs no TypeScript in a thread. */
const builtProgram = fileURLToPath(new URL('../../../dist/platform/redaction/redaction-thread.js', import.meta.url))

/** Two at least: while one thread works on a text that exceeds its budget, others still get through. */
const maxThreads = Math.max(2, Math.min(4, availableParallelism() - 1))
/** A thread that needs more is stopped by Node, which rejects its text. */
const maxHeapMb = 1024

/** A pool of threads that redact, one request each at a time. A thread starts when it is first needed. */
export function openThreads({
  rules,
  program = builtProgram,
  // Ordinary text takes 0.05 s per MB on a free core.
  budgetSeconds = (characters) => 15 + Math.ceil(characters / 100_000),
  tickMs = 1000,
}: { rules: readonly Rule[] } & Partial<Thread>): Threads {
  const idle: Seat[] = Array.from({ length: maxThreads }, () => ({ worker: undefined, known: [] }))
  const seats = [...idle]
  const waiting: ((seat: Seat) => void)[] = []

  // The thread that worked last is taken first: as many start as are needed at once.
  const take = (): Seat | Promise<Seat> => idle.pop() ?? new Promise((resolve) => waiting.push(resolve))
  const giveBack = (seat: Seat): void => {
    const next = waiting.shift()
    if (next) next(seat)
    else idle.push(seat)
  }

  return {
    async run(lines, known) {
      const seat = await take()
      try {
        seat.worker ??= start(program, rules)
        const characters = lines.reduce((sum, line) => sum + line.length, 0)
        const request = areSame(seat.known, known) ? { lines } : { lines, known }
        const answer = await ask(seat.worker, request, { ticks: budgetSeconds(characters), tickMs })
        seat.known = known
        return answer
      } catch (error) {
        await seat.worker?.terminate()
        seat.worker = undefined
        seat.known = []
        throw error
      } finally {
        giveBack(seat)
      }
    },
    async close() {
      await Promise.all(seats.map(({ worker }) => worker?.terminate()))
    },
  }
}

/** A place in the pool. `known` are the values that its thread has. */
type Seat = { worker: Worker | undefined; known: readonly KnownSecret[] }

function start(program: string, rules: readonly Rule[]): Worker {
  const worker = new Worker(program, {
    workerData: { rules },
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    // A thread inherits the process's options and refuses to start with some of them.
    execArgv: [],
  })
  // Node throws an error event without a listener.
  worker.on('error', () => undefined)
  worker.unref()
  return worker
}

/**
 * Counts ticks of a timer instead of reading a clock: a host that was frozen for a minute has had one tick, and its
 * threads are not late.
 */
function ask(
  worker: Worker,
  request: ThreadRequest,
  { ticks, tickMs }: { ticks: number; tickMs: number },
): Promise<ThreadAnswer> {
  return new Promise((resolve, reject) => {
    let left = ticks
    const timer = setInterval(() => {
      left -= 1
      if (left <= 0) settle(() => reject(new Error(`the thread exceeded its budget of ${ticks} s`)))
    }, tickMs)
    const settle = (outcome: () => void): void => {
      clearInterval(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      outcome()
    }
    const onMessage = (answer: ThreadAnswer): void => settle(() => resolve(answer))
    const onError = (error: Error): void => settle(() => reject(error))
    const onExit = (code: number): void => settle(() => reject(new Error(`the thread exited with code ${code}`)))
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.postMessage(request)
  })
}
