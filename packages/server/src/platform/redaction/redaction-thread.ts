import { parentPort, workerData } from 'node:worker_threads'
import { openRedaction } from './redaction.ts'
import type { ThreadAnswer, ThreadRequest } from './redaction-threads.ts'
import type { Rule } from './rule.ts'

/** The program of a redaction thread. Only `redaction-threads.ts` starts it, so its messages are not validated. */
let known: NonNullable<ThreadRequest['known']> = []
const { rules } = workerData as { rules: readonly Rule[] }
const redaction = openRedaction({ known: () => known, rules })

parentPort?.on('message', (request: ThreadRequest) => {
  known = request.known ?? known
  const before = redaction.counts()
  const lines = redaction.redactLines(request.lines)
  const counts = new Map([...redaction.counts()].map(([label, times]) => [label, times - (before.get(label) ?? 0)]))
  parentPort?.postMessage({ lines, counts } satisfies ThreadAnswer)
})
