import type { Database } from '../../platform/db/database.ts'
import type { Part } from '../../platform/http/download.ts'
import { type ZipEntry, type ZipTotals, zipPart } from '../../platform/zip/zip.ts'
import { fileContent, type Read } from './file-content.ts'
import { selectFileSource } from './file-store.ts'
import { checksumOf, filePages, type Manifest, manifestBytes, manifestName, manifestSize } from './manifest.ts'
import { type Snapshot, selectSummary } from './snapshot-store.ts'

export type ArchivePart = { snapshot: Snapshot; manifest: Manifest; totals: ZipTotals; part: Part }

/**
 * The bytes of a part of the zip. Pages that are read after a session was deleted lack it, and the bytes after it are at
 * another place. The last bytes are therefore sent only if no session was deleted: the caller otherwise gets a part that ends
 * early, not a wrong one.
 */
export async function* archiveBytes(
  db: Database,
  { snapshot, manifest, totals, part }: ArchivePart,
  read: Read,
): AsyncGenerator<Buffer> {
  const first = await manifestEntry(() => manifestBytes(db, snapshot, manifest, read), manifest)
  let last: Buffer | undefined
  for await (const chunk of zipPart(totals, () => entriesOf(db, snapshot, first, read), part)) {
    if (last) yield last
    last = chunk
  }
  const { ids, checksums } = await read(() => selectSummary(db, snapshot))
  if (ids !== manifest.summary.ids || checksums !== manifest.summary.checksums) throw new Error(wasDeleted)
  if (last) yield last
}

const wasDeleted = 'a session was deleted while the transcript archive was sent'

async function* entriesOf(db: Database, snapshot: Snapshot, first: ZipEntry, read: Read): AsyncGenerator<ZipEntry> {
  yield first
  for await (const page of filePages(db, snapshot, read))
    for (const { id, name, size_bytes: sizeBytes, crc32 } of page)
      yield { name, sizeBytes, crc32, open: (from) => contentOf(db, id, from, read) }
}

async function* contentOf(db: Database, id: number, from: number, read: Read): AsyncGenerator<Buffer> {
  const source = await read(() => selectFileSource(db, id))
  if (!source) throw new Error(wasDeleted)
  yield* fileContent(db, source, from, read)
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
