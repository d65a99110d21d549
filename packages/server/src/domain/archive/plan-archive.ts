import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { planZip, type Zip } from '../../platform/zip/zip.ts'
import type { App } from '../app.ts'
import { type ListedFile, selectFileSource } from './archive-store.ts'
import { fileContent } from './file-content.ts'

/** Changes when the same files make another zip. */
const format = 'yardmaster-archive-1'

export type PlannedArchive = { zip: Zip; sessionIds: readonly string[]; tag: string }

/**
 * The zip of these files, and a tag that changes with any of its bytes: the manifest has the checksum of every file. Its time
 * is that of the newest file, so that a run that finds nothing to do does not make a new zip.
 */
export async function planArchive(
  app: Pick<App, 'db'>,
  files: readonly ListedFile[],
  { generatedAt }: { generatedAt: Date },
): Promise<PlannedArchive> {
  const sessionIds = [...new Set(files.map(({ session_id }) => session_id))].map(String).toSorted()
  const newest = files.reduce((time, { stored_at }) => Math.max(time, stored_at.getTime()), 0)
  const manifest = Buffer.from(
    `${JSON.stringify({
      session_count: sessionIds.length,
      generated_at: formatTimestamp(newest === 0 ? generatedAt : new Date(newest)),
      session_ids: sessionIds,
      files: files.map(({ name, size_bytes, sha256 }) => ({ name, size_bytes, sha256 })),
    })}\n`,
  )
  const zip = await planZip([
    { name: 'manifest.json', sizeBytes: manifest.length, open: () => Readable.from([manifest]) },
    ...files.map(({ id, name, size_bytes: sizeBytes }) => ({
      name,
      sizeBytes,
      open: () => Readable.from(contentOf(app, id), { objectMode: false }),
    })),
  ])
  return { zip, sessionIds, tag: createHash('sha256').update(format).update(manifest).digest('base64url') }
}

/** Fails if the session was deleted after the download began: the caller then gets a zip that ends early, not a wrong one. */
async function* contentOf({ db }: Pick<App, 'db'>, id: number): AsyncGenerator<Buffer> {
  const source = await selectFileSource(db, id)
  if (!source) throw new Error('a session was deleted while the transcript archive was sent')
  yield* fileContent(db, source)
}
