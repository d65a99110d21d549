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
import { lineMatcher, type Phrase } from './phrase.ts'
import { isCancelled } from './planned-store.ts'
import { isSettled, type Walked } from './settle-page.ts'
import type { Unindexed } from './unindexed.ts'

type Walk = {
  phrase: Phrase
  unindexed: Unindexed
  page: { perPage: number; chunkSessions: number }
  deadline: number
  signal: AbortSignal
}

/** Sessions that are sampled, one chunk each, before the first step. */
const sampledSessions = 50
/** Only a bad plan takes this long. Below the connection's own timeout of 20 s. */
const longestStatementMs = 10_000
const tailBatchBytes = 4 * 1024 * 1024

/**
 * Checks candidates, newest first, until the page is settled. The caller listed unindexed text before this queries the index,
 * and unindexed entries are read directly: text stored before the search began is found in one of the two.
 */
export async function walk(
  app: Pick<App, 'db'>,
  candidates: readonly Candidate[],
  { phrase, unindexed: { tails, changed }, page, deadline, signal }: Walk,
): Promise<Walked & { isTimedOut: boolean }> {
  const matches: number[] = []
  let checked = 0
  const walked = (isTimedOut: boolean) => ({ matches, checked, candidates: candidates.length, isTimedOut })
  const isOver = () => performance.now() >= deadline || signal.aborted
  if (candidates.length === 0 || isOver()) return walked(candidates.length > 0)

  const ids = candidates.map(({ id }) => id)
  const sampled = await selectSample(app.db, ids.slice(0, sampledSessions), phrase)
  const isChanged = new Set(changed.changed)
  const isChangedHolder = new Set(changed.found)
  // For a very common phrase the sample alone may fill the page.
  const isSampled = new Set(phrase.isWithinChunks ? sampled.holders : [])
  while (matches.length <= page.perPage && isSampled.has(candidates[checked]?.id ?? 0)) {
    matches.push(checked)
    checked += 1
  }

  let isIndexable = phrase.isIndexable
  const isPerhapsRare = isIndexable && sampled.holders.length === 0
  // Runs beside the first step, which is enough if the phrase is not rare after all.
  const everywhere = isPerhapsRare ? findRare(app, phrase, deadline - performance.now()) : undefined
  everywhere?.catch(() => undefined) // reported when awaited, which may never happen
  let documents: Promise<Set<number>> | undefined
  let frequency = { ...frequencyIn(sampled), ...(isPerhapsRare && { hits: 1 }) }

  for (let step = 1; !isSettled(walked(false), page); step++) {
    if (isOver()) return walked(true)
    const rare = step > 1 ? await everywhere : undefined
    const missing = page.perPage + 1 - matches.length
    const plan = rare
      ? { sessions: candidates.length, isByIndex: true }
      : planStep(frequency, { missing, sparseness: sparsenessOf(candidates, checked), isIndexable })
    const sessions = candidates.slice(checked, checked + plan.sessions)
    const remainingMs = deadline - performance.now()
    documents ??= selectDocumentHolders(app.db, phrase, ids).then((holders) => new Set(holders))
    const [holders, inDocuments] = await Promise.all([
      rare ?? findHolders(app, phrase, { plan, sessions, remainingMs }),
      documents,
    ])
    if (holders === 'too slow') {
      // A timed-out index query gave no result: continue session by session. Results read session by session are kept.
      if (!plan.isByIndex) return walked(true)
      isIndexable = false
      continue
    }
    frequency = learn(frequency, { ...plan, sessions: sessions.length, ...count(holders, sessions) })
    const inChunks = new Set(holders.map(({ session_id }) => session_id))
    for (const { id } of sessions) {
      const isKnown = isChanged.has(id) ? isChangedHolder.has(id) : inDocuments.has(id)
      const tail = tails.get(id)
      let holds: boolean | undefined = isKnown || (phrase.isWithinChunks && inChunks.has(id))
      if (!holds && (tail !== undefined || (!phrase.isWithinChunks && inChunks.has(id)))) {
        holds = await readFor(app, phrase, id, { after: phrase.isWithinChunks ? (tail ?? 0) : 0, isOver })
      }
      if (holds === undefined) return walked(true)
      if (holds) matches.push(checked)
      checked += 1
      if (matches.length > page.perPage) break
    }
  }
  return walked(false)
}

function frequencyIn({ chunks, reads, holders }: Sample): Frequency {
  return { reads, hits: holders.length, chunksPerSession: reads === 0 ? 1 : Math.max(1, chunks / reads) }
}

/** The most chunks a search reads before it changes its plan. */
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
  // Half of the remaining time, so that reading session by session is still possible.
  const timeoutMs = timeoutFor(isByIndex ? remainingMs / 2 : remainingMs)
  try {
    return await selectHolders(app.db, phrase, { sessions, isByIndex, timeoutMs })
  } catch (error) {
    if (isCancelled(error)) return 'too slow'
    throw error
  }
}

/** The index also returns sessions of that age that are not candidates. */
function count(holders: readonly Holder[], sessions: readonly Candidate[]): { holders: number; hits: number } {
  const asked = new Set(sessions.map(({ id }) => id))
  const ours = holders.filter(({ session_id }) => asked.has(session_id))
  return { holders: ours.length, hits: ours.reduce((sum, { chunks }) => sum + chunks, 0) }
}

/** Sessions per candidate, estimated by their ids. */
function sparsenessOf(candidates: readonly Candidate[], from: number): number {
  const first = candidates[from]
  const last = candidates[Math.min(from + 1000, candidates.length - 1)]
  if (!first || !last || first === last) return 1
  const between = Math.min(1000, candidates.length - 1 - from)
  return Math.max(1, Math.abs(first.id - last.id) / between)
}

/** Whether a conversation contains the phrase after an entry; undefined when the time runs out first. */
async function readFor(
  app: Pick<App, 'db'>,
  phrase: Phrase,
  sessionId: number,
  { after, isOver }: { after: number; isOver(): boolean },
): Promise<boolean | undefined> {
  const isIn = lineMatcher(phrase)
  for (let behind = after; ; ) {
    if (isOver()) return undefined
    const entries = await selectLinesAfter(app.db, sessionId, { after: behind, maxBytes: tailBatchBytes })
    const last = entries.at(-1)
    if (!last) return false
    if (entries.some(({ line }) => isIn(line))) return true
    behind = last.sequence
  }
}
