import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { isConflict, isOutage } from '../../platform/db/outage.ts'
import { abortableStream } from '../../platform/http/abortable-stream.ts'
import type { Part } from '../../platform/http/download.ts'
import { withRetries } from '../../platform/with-retries.ts'
import { type ZipEntry, zipPart, zipSize } from '../../platform/zip/zip.ts'
import type { App } from '../app.ts'
import { fileContent, type Read } from './file-content.ts'
import { selectFileSource } from './file-store.ts'
import { checksumOf, filePages, type Manifest, manifestBytes, manifestSize } from './manifest.ts'
import { type Snapshot, selectSummary } from './snapshot-store.ts'

/** Changes when the same files make another zip. */
const format = 'yardmaster-archive-2'
const manifestName = 'manifest.json'

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
  const tag = tagOf(snapshot, manifest)
  const open = (part: Part, onEnd: () => void): Readable =>
    abortableStream((signal) => {
      const read = patiently(signal)
      const check = async (): Promise<void> => {
        const { ids, checksums } = await read(() => selectSummary(db, snapshot))
        if (ids === summary.ids && checksums === summary.checksums) return
        throw new Error('a session was deleted while the transcript archive was sent')
      }
      return checkedAtEnd(bytesOf(), check)

      async function* bytesOf(): AsyncGenerator<Buffer> {
        const first = await manifestEntry(() => manifestBytes(db, snapshot, manifest, read), manifest)
        yield* zipPart(totals, () => entriesOf(first), part)
      }

      async function* entriesOf(first: ZipEntry): AsyncGenerator<ZipEntry> {
        yield first
        for await (const page of filePages(db, snapshot, read))
          for (const { id, name, size_bytes: sizeBytes, crc32 } of page)
            yield { name, sizeBytes, crc32, open: (from) => contentOf({ db }, id, from, read) }
      }
    }, onEnd)
  return { sizeBytes: zipSize(totals), sessionCount: summary.sessions, tag, open }
}

async function manifestEntry(content: () => AsyncIterable<Buffer>, manifest: Manifest): Promise<ZipEntry> {
  return {
    name: manifestName,
    sizeBytes: manifestSize(manifest),
    crc32: await checksumOf(content()),
    open: (from) => skipping(content(), from),
  }
}

async function* skipping(source: AsyncIterable<Buffer>, from: number): AsyncGenerator<Buffer> {
  let left = from
  for await (const chunk of source) {
    if (left < chunk.length) yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}

/**
 * Pages that were read after a session was deleted lack it, and the bytes after it are at another place. The last bytes are
 * sent only if no session was: the caller otherwise gets a part that ends early, not a wrong one.
 */
async function* checkedAtEnd(source: AsyncIterable<Buffer>, check: () => Promise<void>): AsyncGenerator<Buffer> {
  let last: Buffer | undefined
  for await (const chunk of source) {
    if (last) yield last
    last = chunk
  }
  await check()
  if (last) yield last
}

async function* contentOf({ db }: Pick<App, 'db'>, id: number, from: number, read: Read): AsyncGenerator<Buffer> {
  const source = await read(() => selectFileSource(db, id))
  if (!source) throw new Error('a session was deleted while the transcript archive was sent')
  yield* fileContent(db, source, from, read)
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
