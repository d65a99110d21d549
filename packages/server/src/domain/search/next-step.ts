/** How common a phrase has turned out to be so far. */
export type Frequency = {
  /** Chunks that were read, and those among them that had the phrase. */
  reads: number
  hits: number
  /** Chunks a session has on average. */
  chunksPerSession: number
}

export type Plan = { sessions: number; isByIndex: boolean }

/** About 20 ms of reading: a step that is planned badly is soon over. */
const readsPerStep = 600
/** What asking the index costs, counted in chunks that could be read meanwhile. */
const readsOfIndex = 100
/** More than should be needed, since going there twice costs more. */
const generosity = 2

/**
 * A phrase that is everywhere is found soonest by reading the newest sessions until each shows it; one that is rare by
 * asking the index about as many sessions as possible. Which it is, we learn as we go.
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
  const needed = (generosity * missing) / (1 - (1 - share) ** chunksPerSession)
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

/** Never none: what was not seen yet may still come. */
function shareOf({ reads, hits }: Frequency): number {
  return Math.min(1, (hits + 0.5) / (reads + 1))
}
