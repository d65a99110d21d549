import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { isRepoName } from '../../platform/forge/item.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { lockSessionIfThere } from '../sessions/session.ts'
import { findLines } from '../transcripts/transcript.ts'
import { insertSightings, type Sighting } from './pull-request-store.ts'
import { selectPrompts, selectScannedCount, selectUnscannedMetadata, upsertScan } from './scan-store.ts'

const linesAtOnce = 200
const sessionsAtOnce = 50

/**
 * Searches what the session's agent has written since the last time for addresses of pull requests. One that a prompt named
 * is not the agent's own. The forge tells later whether the others are.
 */
export async function findInTranscript(app: App, tx: Transaction, sessionId: number): Promise<void> {
  const { client } = app.forge
  if (!client || !(await lockSessionIfThere(tx, { id: sessionId }))) return
  const key = { sessionId, thread: mainThread }
  const found = new Map<string, Sighting>()
  let after = await selectScannedCount(tx, sessionId)
  for (;;) {
    const lines = await findLines(tx, key, { after, limit: linesAtOnce })
    const last = lines.at(-1)
    if (!last) break
    after = last.sequence
    for (const { line } of lines) for (const each of addressesIn(line, client.webUrl)) found.set(each.url, each)
  }
  if (found.size > 0) {
    const prompts = await selectPrompts(tx, sessionId)
    for (const { url } of prompts.flatMap((prompt) => addressesIn(prompt, client.webUrl))) found.delete(url)
  }
  await insertSightings(tx, sessionId, [...found.values()], 'transcript')
  await upsertScan(tx, sessionId, { entry_count: after })
}

/** Follows every pull request that a caller named in the session's custom metadata. */
export async function findInMetadata(app: App): Promise<void> {
  const { client } = app.forge
  if (!client) return
  for (const { id, text, digest } of await selectUnscannedMetadata(app.db, sessionsAtOnce)) {
    await transact(app.db, async (tx) => {
      if (!(await lockSessionIfThere(tx, { id }))) return
      await insertSightings(tx, id, addressesIn(text, client.webUrl), 'custom_metadata')
      await upsertScan(tx, id, { metadata_digest: digest })
    })
  }
}

/** Long enough for any pull request; a number beyond is no address of one. */
const maxNumber = 2 ** 31 - 1

/** Each address of a pull request of the forge, once. JSON may write a slash as `\/`. */
export function addressesIn(text: string, webUrl: string): Sighting[] {
  if (!text.includes('pull')) return []
  const host = new URL(webUrl).host.replaceAll(/[^\w-]/g, '\\$&')
  const address = new RegExp(`https?://${host}/([\\w.-]{1,100}/[\\w.-]{1,100})/pull/(\\d{1,10})(?!\\d)`, 'g')
  const found = [...text.replaceAll('\\/', '/').matchAll(address)].map(([, repo = '', number = '']) => ({
    repo: repo.toLowerCase(),
    number: Number(number),
    url: `${webUrl}/${repo}/pull/${Number(number)}`,
  }))
  const valid = found.filter(({ repo, number }) => isRepoName(repo) && number > 0 && number <= maxNumber)
  return [...new Map(valid.map((each) => [each.url, each])).values()]
}
