export type Walked = {
  /** Places of the matches among the candidates, in order. */
  matches: readonly number[]
  /** Candidates that were judged, from the newest on. */
  judged: number
  candidates: number
}

/**
 * Which matches are shown, and how many candidates that covers. Candidates count in chunks: the page is full at the end of
 * the chunk in which it was filled, and right behind its last match if more matched there than fit.
 */
export function settlePage(
  { matches, judged, candidates }: Walked,
  { perPage, chunkSessions }: { perPage: number; chunkSessions: number },
): { shown: number[]; covered: number } {
  const last = matches[perPage - 1]
  if (last === undefined) return { shown: [...matches], covered: judged }
  const end = endOfChunk(last, { chunkSessions, candidates })
  const isCut = matches.some((place, index) => index >= perPage && place < end)
  return { shown: matches.slice(0, perPage), covered: isCut ? last + 1 : Math.min(end, judged) }
}

/** Whether nothing that is still to be judged could change the page. */
export function isSettled(
  { matches, judged, candidates }: Walked,
  { perPage, chunkSessions }: { perPage: number; chunkSessions: number },
): boolean {
  const last = matches[perPage - 1]
  if (last === undefined) return judged >= candidates
  return matches.length > perPage || judged >= endOfChunk(last, { chunkSessions, candidates })
}

function endOfChunk(
  place: number,
  { chunkSessions, candidates }: { chunkSessions: number; candidates: number },
): number {
  return Math.min((Math.floor(place / chunkSessions) + 1) * chunkSessions, candidates)
}
