import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { z } from 'zod'
import { NoTar, type ReadEntry, readTar } from '../../platform/files/tar.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import { BackupError } from './backup-error.ts'
import { End, endName, Manifest, manifestName } from './manifest.ts'

/**
 * Reads a backup to its end and compares its digest, before anything of it is used. A file that was cut short, damaged, or
 * is no backup is refused.
 */
export async function checkBackup(file: string): Promise<Manifest> {
  return refusing(file, async () => {
    const { bytes, digestOf } = digesting(bytesOf(file))
    let manifest: Manifest | undefined
    let end: z.infer<typeof End> | undefined
    for await (const entry of readTar(bytes)) {
      if (end) throw new NoTar('something follows its end')
      if (!manifest) manifest = await readJson(entry, manifestName, Manifest)
      else if (entry.path.toString() === endName) end = await readJson(entry, endName, End)
    }
    // To the end of the file, whose own checksum is there.
    for await (const _ of bytes);
    if (!manifest || !end) throw new NoTar('it has no end')
    if (digestOf(end.bytes) !== end.sha256) throw new NoTar('its checksum is wrong')
    return manifest
  })
}

/** Longer than the last entry and the end of the tar. */
const tailBytes = 8192

/** Passes bytes on and computes the digest of all but the last of them, which are known only at the end. */
function digesting(source: AsyncIterable<Buffer>) {
  const hash = createHash('sha256')
  let hashedBytes = 0
  let tail: Buffer = Buffer.alloc(0)
  async function* pass(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const held = Buffer.concat([tail, chunk])
      const old = held.subarray(0, Math.max(0, held.length - tailBytes))
      hash.update(old)
      hashedBytes += old.length
      tail = Buffer.from(held.subarray(old.length))
      yield chunk
    }
  }
  const digestOf = (length: number): string | undefined => {
    const rest = length - hashedBytes
    return rest < 0 || rest > tail.length ? undefined : hash.update(tail.subarray(0, rest)).digest('hex')
  }
  return { bytes: pass(), digestOf }
}

/** The entries of a backup that was checked. */
export async function* backupEntries(file: string): AsyncGenerator<ReadEntry> {
  yield* readTar(bytesOf(file))
}

export async function readJson<T>(entry: ReadEntry, name: string, schema: z.ZodType<T>): Promise<T> {
  if (entry.path.toString() !== name || entry.sizeBytes > maxJsonBytes) throw new NoTar(`${name} is missing`)
  const parts: Buffer[] = []
  for await (const part of entry.content) parts.push(part)
  const parsed = schema.safeParse(parseJson(Buffer.concat(parts).toString()))
  if (!parsed.success) throw new NoTar(`${name} is not as it should be`)
  return parsed.data
}

const maxJsonBytes = 16 * 1024 * 1024

function bytesOf(file: string): AsyncIterable<Buffer> {
  const source = createReadStream(file)
  const plain = createGunzip()
  source.once('error', (error) => plain.destroy(error))
  plain.once('close', () => source.destroy())
  return source.pipe(plain)
}

/** Everything that is wrong with the file is one sentence. */
async function refusing<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw new BackupError(`There is no file ${file}.`)
    const isDamaged = error instanceof NoTar || String(errnoOf(error)).startsWith('Z_')
    if (!isDamaged) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new BackupError(`${file} is not a whole backup of Yardmaster (${reason}). Nothing was restored.`)
  }
}
