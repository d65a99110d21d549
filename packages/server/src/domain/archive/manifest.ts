import { crc32 } from 'node:zlib'
import type { Database } from '../../platform/db/database.ts'
import type { Read } from './file-content.ts'
import { type ListedFile, type Snapshot, type Summary, selectFilePage, selectSessionIdPage } from './snapshot-store.ts'

export const manifestName = 'manifest.json'

/** Everything about a manifest but its two lists. */
export type Manifest = { summary: Summary; generatedAt: string }

/** Rows in memory at a time: a file has about 300 bytes, an id 10. */
const pageFiles = 1000
const pageIds = 20_000

/** The manifest as JSON, written page by page. Names and ids have no character that JSON escapes. */
export async function* manifestBytes(
  db: Database,
  snapshot: Snapshot,
  manifest: Manifest,
  read: Read,
): AsyncGenerator<Buffer> {
  yield Buffer.from(opening(manifest))
  yield* listed(idPages(db, snapshot, read), (id) => `"${id}"`)
  yield Buffer.from(between)
  yield* listed(filePages(db, snapshot, read), fileObject)
  yield Buffer.from(closing)
}

/** Known before anything is listed. */
export function manifestSize(manifest: Manifest): number {
  const { files, sessions, id_digits: idDigits, name_bytes: nameBytes, size_digits: sizeDigits } = manifest.summary
  const ids = idDigits + 2 * sessions + commas(sessions)
  const objects = nameBytes + sizeDigits + files * (emptyObject.length + sha256Digits) + commas(files)
  return opening(manifest).length + ids + between.length + objects + closing.length
}

export async function checksumOf(source: AsyncIterable<Buffer>): Promise<number> {
  let checksum = 0
  for await (const chunk of source) checksum = crc32(chunk, checksum)
  return checksum
}

export async function* filePages(db: Database, snapshot: Snapshot, read: Read): AsyncGenerator<ListedFile[]> {
  let after: ListedFile | undefined
  do {
    const last = after
    const page = await read(() => selectFilePage(db, snapshot, { after: last, limit: pageFiles }))
    yield page
    after = page.length < pageFiles ? undefined : page.at(-1)
  } while (after)
}

async function* idPages(db: Database, snapshot: Snapshot, read: Read): AsyncGenerator<string[]> {
  let after: string | undefined = ''
  do {
    const last: string = after
    const page = await read(() => selectSessionIdPage(db, snapshot, { after: last, limit: pageIds }))
    yield page
    after = page.length < pageIds ? undefined : page.at(-1)
  } while (after !== undefined)
}

async function* listed<T>(pages: AsyncIterable<readonly T[]>, write: (item: T) => string): AsyncGenerator<Buffer> {
  let separator = ''
  for await (const page of pages) {
    if (page.length === 0) continue
    yield Buffer.from(`${separator}${page.map(write).join(',')}`)
    separator = ','
  }
}

function opening({ summary, generatedAt }: Manifest): string {
  return `{"session_count":${summary.sessions},"generated_at":"${generatedAt}","session_ids":[`
}

const between = '],"files":['
const closing = ']}\n'

function fileObject({
  name,
  size_bytes: size,
  sha256,
}: Pick<ListedFile, 'name' | 'sha256'> & { size_bytes: number | string }) {
  return `{"name":"${name}","size_bytes":${size},"sha256":"${sha256}"}`
}

const emptyObject = fileObject({ name: '', size_bytes: '', sha256: '' })
const sha256Digits = 64

function commas(count: number): number {
  return Math.max(0, count - 1)
}
