import type { ForgeItem } from '../../platform/forge/item.ts'
import type { App } from '../app.ts'
import { selectLiveAround, selectSightings } from './sighting-store.ts'

/** How long an agent may take to write the answer of the forge to its transcript. */
const settleSeconds = 20
/** The longest time that the end of a turn is waited for. */
const maxHoldSeconds = 600

/**
 * Whether an agent of ours opened the issue: then it fires no trigger, or an agent that opens issues would start itself again
 * and again. An agent that opened it has its address in the transcript, alone in a line and not from a prompt.
 *
 * `undecided` while an agent that was at work when the issue was opened may still write that line: for a short while, or
 * until its turn ends if the issue was opened with the account of our own token.
 */
export async function isOpenedByAgent(app: App, item: ForgeItem): Promise<'yes' | 'no' | 'undecided'> {
  const { sessionIds, liveSessionIds, ageSeconds } = await selectLiveAround(app.db, item.createdAt)
  if (sessionIds.length === 0) return 'no'
  const sightings = await selectSightings(app.db, sessionIds, item.url)
  if (sightings.some((line) => namesOneIssue(line, item))) return 'yes'
  if (liveSessionIds.length === 0 || ageSeconds > maxHoldSeconds) return 'no'
  if (ageSeconds < settleSeconds) return 'undecided'
  return (await app.forge.client?.account()) === item.author ? 'undecided' : 'no'
}

/** A line with several issues is a list that the agent read. */
function namesOneIssue(line: string, { url }: ForgeItem): boolean {
  const text = line.replaceAll('\\/', '/')
  const issues = url.slice(0, url.lastIndexOf('/') + 1)
  const numbers = new Set<string>()
  for (let at = text.indexOf(issues); at >= 0; at = text.indexOf(issues, at + 1)) {
    const [number] = /^\d+/.exec(text.slice(at + issues.length, at + issues.length + 12)) ?? []
    if (number !== undefined) numbers.add(number)
  }
  return numbers.size === 1 && numbers.has(url.slice(issues.length))
}
