/** The estimate so far of how common a phrase is. */
export type Frequency = {
  /** Chunks read, and those of them that contain the phrase. */
  reads: number
  hits: number
  /** Average chunks per session. */
  chunksPerSession: number
}

export type Plan = { sessions: number; isByIndex: boolean }

/** About 20 ms of reading, so that a badly planned step ends soon. */
const readsPerStep = 600
/** The cost of an index query, in chunk reads. */
const readsOfIndex = 100
/** Reads more sessions than estimated, because a second step costs more. */
const overshoot = 2

/**
 * A common phrase is found fastest by reading the newest sessions; a rare one by querying the index over as many sessions
 * as possible. Each step improves the estimate of which it is.
 */
export function planStep(
  frequency: Frequency,
  { missing, sparseness, isIndexable }: { missing: number; sparseness: number; isIndexable: boolean },
): Plan {
  const { chunksPerSession } = frequency
  const share = shareOf(frequency)
  const byReading = readsPerStep / Math.min(chunksPerSession, 1 / share)
  const byIndex = (readsPerStep - readsOfIndex) / (share * chunksPerSession * sparseness)
  const isByIndex = isIndexable && byIndex > byReading
  const needed = (overshoot * missing) / (1 - (1 - share) ** chunksPerSession)
  return { sessions: Math.max(1, Math.floor(Math.min(isByIndex ? byIndex : byReading, needed))), isByIndex }
}

export function learn(frequency: Frequency, step: Plan & { holders: number; hits: number }): Frequency {
  const { chunksPerSession, reads, hits } = frequency
  // Reading a session ends with its first match.
  const readsOfHolder = step.isByIndex ? chunksPerSession : Math.min(chunksPerSession, 1 / shareOf(frequency))
  return {
    chunksPerSession,
    reads: reads + (step.sessions - step.holders) * chunksPerSession + step.holders * readsOfHolder,
    hits: hits + step.hits,
  }
}

/** Never zero: a phrase that was not seen yet may still occur. */
function shareOf({ reads, hits }: Frequency): number {
  return Math.min(1, (hits + 0.5) / (reads + 1))
}
