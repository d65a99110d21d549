import type { SearchMatch } from '@yardmaster/contract/search/fields'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { shownTexts } from '../transcripts/transcript.ts'
import { selectLinesAfter } from './chunk-store.ts'
import { type Excerpt, excerptOf } from './excerpt.ts'
import { type FoundLine, selectFoundLines } from './match-store.ts'
import type { Phrase } from './phrase.ts'
import { isCancelled } from './planned-store.ts'

type Search = {
  phrase: Phrase
  /** Sessions with unindexed entries, and the last entry of each that is indexed. */
  tails: ReadonlyMap<number, number>
  deadline: number
}

const matchesOfSession = 3
/** Of entries that are read one by one, for all sessions together. */
const maxReadBytes = 8 * 1024 * 1024

/**
 * The latest places of the phrase in the transcripts of sessions that were found. Whatever cannot be read within the time and
 * the bounds is left out: the sessions are found without it.
 */
export async function findMatches(
  app: Pick<App, 'db' | 'runtimes'>,
  sessions: readonly Pick<Session, 'id' | 'agent_runtime'>[],
  { phrase, tails, deadline }: Search,
): Promise<Record<string, SearchMatch[]>> {
  if (!phrase.isWithinChunks || sessions.length === 0) return {}
  const found = await findLines(app, phrase, { sessionIds: sessions.map(({ id }) => id), deadline })
  let unreadBytes = maxReadBytes
  const matches: Record<string, SearchMatch[]> = {}
  for (const { id, agent_runtime: runtime } of sessions) {
    const own = found.filter(({ session_id }) => session_id === id)
    const lines = new Map(own.flatMap(({ sequence, line }) => (sequence === null ? [] : [[sequence, line ?? '']])))
    const unread = own.some(({ sequence }) => sequence === null) ? 0 : tails.get(id)
    if (unread !== undefined && unreadBytes > 0 && performance.now() < deadline) {
      const rest = await selectLinesAfter(app.db, id, { after: unread, maxBytes: unreadBytes })
      for (const { sequence, line } of rest) lines.set(sequence, line)
      unreadBytes -= rest.reduce((sum, { line }) => sum + line.length, 0)
    }
    const places = matchesIn(lines, phrase, app.runtimes.find(runtime)?.readable)
    if (places.length > 0) matches[id] = places
  }
  return matches
}

async function findLines(
  app: Pick<App, 'db'>,
  phrase: Phrase,
  { sessionIds, deadline }: { sessionIds: readonly number[]; deadline: number },
): Promise<FoundLine[]> {
  const timeoutMs = deadline - performance.now()
  if (timeoutMs <= 0) return []
  try {
    return await selectFoundLines(app.db, phrase, { sessionIds, chunks: matchesOfSession, timeoutMs })
  } catch (error) {
    if (isCancelled(error)) return []
    throw error
  }
}

/** The latest ones, in order. In a text that people see, or else in the stored line. */
function matchesIn(lines: ReadonlyMap<number, string>, phrase: Phrase, readable: Runtime['readable']): SearchMatch[] {
  const matches: SearchMatch[] = []
  for (const [sequence, line] of [...lines].toSorted(([one], [other]) => other - one)) {
    if (matches.length === matchesOfSession) break
    const excerpt = excerptIn([...shownTexts(line, readable), line], phrase)
    if (excerpt) matches.unshift({ thread: mainThread, sequence, ...excerpt })
  }
  return matches
}

function excerptIn(texts: readonly string[], phrase: Phrase): Excerpt | undefined {
  for (const text of texts) {
    const excerpt = excerptOf(text, phrase)
    if (excerpt) return excerpt
  }
  return undefined
}
