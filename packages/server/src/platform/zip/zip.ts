import { Readable } from 'node:stream'
import type { ZipFile } from 'yazl'
import type { Part } from '../http/download.ts'

/** A file of the zip. It must have exactly this size. */
export type ZipEntry = { name: string; sizeBytes: number; open(): Readable }

export type Zip = { sizeBytes: number; open(part: Part): Readable }

/**
 * A zip that exists only while it is read. It is not compressed, so that its size is known before and any part of it can be
 * sent. It depends on nothing but the entries: a second one on another host has the same bytes.
 */
export async function planZip(entries: readonly ZipEntry[]): Promise<Zip> {
  const { ZipFile } = await import('yazl')
  return {
    sizeBytes: await sizeOf(new ZipFile(), entries),
    open: (part) => {
      const zip = new ZipFile()
      return stoppable(bytesOf(zip, entries, part), zip.outputStream as Readable)
    },
  }
}

/** A generator cannot be left while it waits: what it reads from is closed first, also while nothing has been sent yet. */
function stoppable(bytes: AsyncGenerator<Buffer>, source: Readable): Readable {
  return new Readable({
    read() {
      bytes.next().then(
        ({ value, done }) => this.push(done === true ? null : value),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      source.destroy()
      bytes.return(undefined).then(() => done(error), done)
    },
  })
}

/** A time would be written in the zone of the host. */
const sameForAll = { compress: false, forceDosTimestamp: true, mtime: new Date(1980, 0, 1), mode: 0o100644 }
/** Always, because the library computes a wrong size where it would decide by itself, from 64 KB of directory on. */
const ending = { forceZip64Format: true, comment: '' }

function sizeOf(zip: ZipFile, entries: readonly ZipEntry[]): Promise<number> {
  return new Promise((resolve) => {
    for (const { name, sizeBytes } of entries)
      zip.addReadStreamLazy(name, { ...sameForAll, size: sizeBytes }, () => undefined)
    // Its types leave out the size that the callback receives.
    zip.end(ending, ((size: number) => resolve(size)) as () => void)
  })
}

/**
 * What is before the part is read too, because the directory at the end has the checksum of every file. A reader that leaves
 * closes the file that is open.
 */
async function* bytesOf(zip: ZipFile, entries: readonly ZipEntry[], { start, end }: Part): AsyncGenerator<Buffer> {
  // The library declares less than the stream is.
  const output = zip.outputStream as Readable
  const fail = (error: Error): void => void output.destroy(error)
  let open: Readable | undefined
  zip.on('error', fail)
  for (const entry of entries)
    zip.addReadStreamLazy(entry.name, { ...sameForAll, size: entry.sizeBytes }, (useStream) => {
      open = entry.open().once('error', fail)
      useStream(null, open)
    })
  zip.end(ending)
  try {
    let at = 0
    for await (const chunk of output as AsyncIterable<Buffer>) {
      const wanted = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at))
      if (wanted.length > 0) yield wanted
      at += chunk.length
      if (at >= end) return
    }
  } finally {
    open?.destroy()
  }
}
