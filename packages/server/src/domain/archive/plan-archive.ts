import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { isConflict, isOutage } from '../../platform/db/outage.ts'
import { abortableStream } from '../../platform/http/abortable-stream.ts'
import type { Part } from '../../platform/http/download.ts'
import { withRetries } from '../../platform/with-retries.ts'
import { zipSize } from '../../platform/zip/zip.ts'
import type { App } from '../app.ts'
import { archiveBytes } from './archive-bytes.ts'
import type { Read } from './file-content.ts'
import { type Manifest, manifestName, manifestSize } from './manifest.ts'
import { type Snapshot, selectSummary } from './snapshot-store.ts'

/** Changes when the same files make another zip. */
const format = 'yardmaster-archive-2'

export type PlannedArchive = {
  sizeBytes: number
  sessionCount: number
  /** Names the generation, so that a caller can continue with it, and changes with every byte of the zip. */
  tag: string
  open(part: Part, onEnd: () => void): Readable
}

/**
 * The zip of a snapshot. Nothing is in memory but sums: the list of its files is read page by page, each time it is needed.
 * `generatedAt`: the time in the manifest if there is no file; otherwise it is that of the newest file, so that a run that
 * finds nothing to do does not make a new zip.
 */
export async function planArchive(
  { db }: Pick<App, 'db'>,
  snapshot: Snapshot,
  generatedAt: Date,
): Promise<PlannedArchive> {
  const summary = await selectSummary(db, snapshot)
  const manifest = { summary, generatedAt: formatTimestamp(summary.newest ?? generatedAt) }
  const totals = {
    files: summary.files + 1,
    nameBytes: summary.name_bytes + manifestName.length,
    contentBytes: summary.content_bytes + manifestSize(manifest),
  }
  return {
    sizeBytes: zipSize(totals),
    sessionCount: summary.sessions,
    tag: tagOf(snapshot, manifest),
    open: (part, onEnd) =>
      abortableStream((signal) => archiveBytes(db, { snapshot, manifest, totals, part }, patiently(signal)), onEnd),
  }
}

/** In total about half of the time after which a caller that gets nothing is disconnected. */
const delaysMs = [250, 500, 1000, 2000, 4000, 8000, 8000]

/** A download goes on where it was when the database is back. */
function patiently(signal: AbortSignal): Read {
  const isWorthIt = (error: unknown): boolean => isOutage(error) || isConflict(error)
  return (query) => {
    signal.throwIfAborted()
    return withRetries(query, { delaysMs, isWorthIt, signal })
  }
}

function tagOf({ generation, filters }: Snapshot, manifest: Manifest): string {
  const { agent_root: root, from, to } = filters
  const all = [format, root, from, to, manifest.generatedAt, manifest.summary]
  return `${generation}-${createHash('sha256').update(JSON.stringify(all)).digest('base64url')}`
}

/** The generation that a tag of ours names. */
export function generationOf(tag: string): number | undefined {
  const [, generation] = /^"(\d{1,15})-[\w-]{43}"$/.exec(tag) ?? []
  return generation === undefined ? undefined : Number(generation)
}
