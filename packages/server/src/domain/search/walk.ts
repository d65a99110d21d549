import type { App } from '../app.ts'
import type { Candidate } from '../sessions/session.ts'
import {
  type Holder,
  type Sample,
  selectHolders,
  selectLinesAfter,
  selectRareHolders,
  selectSample,
} from './chunk-store.ts'
import { selectDocumentHolders } from './document-store.ts'
import { type Frequency, learn, type Plan, planStep } from './next-step.ts'
import { type Phrase, watchFor } from './phrase.ts'
import { isSettled, type Walked } from './settle-page.ts'
import type { Unindexed } from './unindexed.ts'

type Walk = {
  phrase: Phrase
  unindexed: Unindexed
  page: { perPage: number; chunkSessions: number }
  deadline: number
  signal: AbortSignal
}

/** Sessions a look into one chunk each is worth, and one step asks for at most. */
const sampledSessions = 50
/** A statement takes this long only where something is wrong with the plan; the connection itself gives up at 20 s. */
const longestStatementMs = 10_000
const tailBatchBytes = 4 * 1024 * 1024

/**
 * Judges candidates from the newest on until the page is settled. What is not in the index yet was known before the index is
 * asked, and is read from the entries themselves: whatever was stored when the search began is found, in the one or the
 * other.
 */
export async function walk(
  app: Pick<App, 'db'>,
  candidates: readonly Candidate[],
  { phrase, unindexed: { tails, changed }, page, deadline, signal }: Walk,
): Promise<Walked & { isTimedOut: boolean }> {
  const matches: number[] = []
  let judged = 0
  const walked = (isTimedOut: boolean) => ({ matches, judged, candidates: candidates.length, isTimedOut })
  const isOver = () => performance.now() >= deadline || signal.aborted
  if (candidates.length === 0 || isOver()) return walked(candidates.length > 0)

  const ids = candidates.map(({ id }) => id)
  const sampled = await selectSample(app.db, ids.slice(0, sampledSessions), phrase)
  const isLookedAt = new Set(changed.lookedAt)
  const isChangedHolder = new Set(changed.found)
  // A phrase that is everywhere has shown itself already.
  const isSampled = new Set(phrase.isWithinChunks ? sampled.holders : [])
  while (matches.length <= page.perPage && isSampled.has(candidates[judged]?.id ?? 0)) {
    matches.push(judged)
    judged += 1
  }

  let isIndexable = phrase.isIndexable
  const isPerhapsRare = isIndexable && sampled.holders.length === 0
  // Asked for beside the first step, which finds enough if it is not rare after all, and plans for that.
  const everywhere = isPerhapsRare ? findRare(app, phrase, deadline - performance.now()) : undefined
  everywhere?.catch(() => undefined) // heard when we wait for it, which may be never
  let documents: Promise<Set<number>> | undefined
  let frequency = { ...frequencyIn(sampled), ...(isPerhapsRare && { hits: 1 }) }

  for (let step = 1; !isSettled(walked(false), page); step++) {
    if (isOver()) return walked(true)
    const rare = step > 1 ? await everywhere : undefined
    const missing = page.perPage + 1 - matches.length
    const plan = rare
      ? { sessions: candidates.length, isByIndex: true }
      : planStep(frequency, { missing, sparseness: sparsenessOf(candidates, judged), isIndexable })
    const sessions = candidates.slice(judged, judged + plan.sessions)
    const remainingMs = deadline - performance.now()
    documents ??= selectDocumentHolders(app.db, phrase, ids).then((holders) => new Set(holders))
    const [holders, inDocuments] = await Promise.all([
      rare ?? findHolders(app, phrase, { plan, sessions, remainingMs }),
      documents,
    ])
    if (holders === 'too slow') {
      // By the index the time is lost; session by session what was judged stays judged.
      if (!plan.isByIndex) return walked(true)
      isIndexable = false
      continue
    }
    frequency = learn(frequency, { ...plan, sessions: sessions.length, ...count(holders, sessions) })
    const inChunks = new Set(holders.map(({ session_id }) => session_id))
    for (const { id } of sessions) {
      const isKnown = isLookedAt.has(id) ? isChangedHolder.has(id) : inDocuments.has(id)
      const tail = tails.get(id)
      let holds: boolean | undefined = isKnown || (phrase.isWithinChunks && inChunks.has(id))
      if (!holds && (tail !== undefined || (!phrase.isWithinChunks && inChunks.has(id)))) {
        holds = await readFor(app, phrase, id, { after: phrase.isWithinChunks ? (tail ?? 0) : 0, isOver })
      }
      if (holds === undefined) return walked(true)
      if (holds) matches.push(judged)
      judged += 1
      if (matches.length > page.perPage) break
    }
  }
  return walked(false)
}

function frequencyIn({ chunks, reads, holders }: Sample): Frequency {
  return { reads, hits: holders.length, chunksPerSession: reads === 0 ? 1 : Math.max(1, chunks / reads) }
}

/** What a search may read in vain before it goes another way. */
const rareChunks = 300

async function findRare(app: Pick<App, 'db'>, phrase: Phrase, remainingMs: number): Promise<Holder[] | undefined> {
  try {
    return await selectRareHolders(app.db, phrase, { maxChunks: rareChunks, timeoutMs: timeoutFor(remainingMs / 2) })
  } catch (error) {
    if (isCancelled(error)) return undefined
    throw error
  }
}

function timeoutFor(remainingMs: number): number {
  return Math.min(longestStatementMs, remainingMs)
}

type Slice = { plan: Plan; sessions: readonly Candidate[]; remainingMs: number }

async function findHolders(
  app: Pick<App, 'db'>,
  phrase: Phrase,
  { plan: { isByIndex }, sessions, remainingMs }: Slice,
): Promise<Holder[] | 'too slow'> {
  // Half of what is left, so that there is another way to go.
  const timeoutMs = timeoutFor(isByIndex ? remainingMs / 2 : remainingMs)
  try {
    return await selectHolders(app.db, phrase, { sessions, isByIndex, timeoutMs })
  } catch (error) {
    if (isCancelled(error)) return 'too slow'
    throw error
  }
}

function isCancelled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '57014'
}

/** The index answers for everything of that age, listed or not. */
function count(holders: readonly Holder[], sessions: readonly Candidate[]): { holders: number; hits: number } {
  const asked = new Set(sessions.map(({ id }) => id))
  const ours = holders.filter(({ session_id }) => asked.has(session_id))
  return { holders: ours.length, hits: ours.reduce((sum, { chunks }) => sum + chunks, 0) }
}

/** How many sessions there are in all for one that is a candidate, going by their ids. */
function sparsenessOf(candidates: readonly Candidate[], from: number): number {
  const first = candidates[from]
  const last = candidates[Math.min(from + 1000, candidates.length - 1)]
  if (!first || !last || first === last) return 1
  const between = Math.min(1000, candidates.length - 1 - from)
  return Math.max(1, Math.abs(first.id - last.id) / between)
}

/** Whether a conversation has the phrase behind an entry; undefined when the time is over before that is known. */
async function readFor(
  app: Pick<App, 'db'>,
  phrase: Phrase,
  sessionId: number,
  { after, isOver }: { after: number; isOver(): boolean },
): Promise<boolean | undefined> {
  const isIn = watchFor(phrase)
  for (let behind = after; ; ) {
    if (isOver()) return undefined
    const entries = await selectLinesAfter(app.db, sessionId, { after: behind, maxBytes: tailBatchBytes })
    const last = entries.at(-1)
    if (!last) return false
    if (entries.some(({ line }) => isIn(line))) return true
    behind = last.sequence
  }
}
