export type Walked = {
  /** Indexes of the matching candidates, in order. */
  matches: readonly number[]
  /** Number of candidates that were checked, newest first. */
  checked: number
  candidates: number
}

/**
 * The matches to show, and how many candidates they cover. Candidates count in chunks: a page covers the whole chunk in
 * which it filled up, or ends right after its last match if that chunk has more matches than fit.
 */
export function settlePage(
  { matches, checked, candidates }: Walked,
  { perPage, chunkSessions }: { perPage: number; chunkSessions: number },
): { shown: number[]; covered: number } {
  const last = matches[perPage - 1]
  if (last === undefined) return { shown: [...matches], covered: checked }
  const end = endOfChunk(last, { chunkSessions, candidates })
  const isCut = matches.some((place, index) => index >= perPage && place < end)
  return { shown: matches.slice(0, perPage), covered: isCut ? last + 1 : Math.min(end, checked) }
}

/** Whether no unchecked candidate can change the page. */
export function isSettled(
  { matches, checked, candidates }: Walked,
  { perPage, chunkSessions }: { perPage: number; chunkSessions: number },
): boolean {
  const last = matches[perPage - 1]
  if (last === undefined) return checked >= candidates
  return matches.length > perPage || checked >= endOfChunk(last, { chunkSessions, candidates })
}

function endOfChunk(
  place: number,
  { chunkSessions, candidates }: { chunkSessions: number; candidates: number },
): number {
  return Math.min((Math.floor(place / chunkSessions) + 1) * chunkSessions, candidates)
}
