import type { Part } from '../http/download.ts'

/** A file of the zip, whose bytes are known to have this size and checksum. `open` returns them from an offset on. */
export type ZipEntry = { name: string; sizeBytes: number; crc32: number; open(from: number): AsyncIterable<Buffer> }

/** What the size of a zip depends on. `nameBytes` and `contentBytes` are sums over all files. */
export type ZipTotals = { files: number; nameBytes: number; contentBytes: number }

/** Before and after the name in a file's header, in its directory record, and at the end of the zip. */
const headerBytes = 30 + 20
const recordBytes = 46 + 28
const endBytes = 56 + 20 + 22

export function zipSize({ files, nameBytes, contentBytes }: ZipTotals): number {
  return contentBytes + 2 * nameBytes + files * (headerBytes + recordBytes) + endBytes
}

/**
 * A part of a zip that exists only while it is read. Files are stored without compression and in the 64-bit form, however
 * small: every file adds the same number of bytes beside its name and content, so that size and offsets are sums, and files
 * before the part are not read. The bytes depend on the entries alone: another host sends the same ones.
 */
export function zipPart(totals: ZipTotals, entries: () => AsyncIterable<ZipEntry>, part: Part): AsyncGenerator<Buffer> {
  return inChunks(within(part, sectionsOf(totals, entries, part)))
}

/** Consecutive bytes of the zip, of known length. Sections outside of the part are not opened. */
type Section = { sizeBytes: number; open(from: number): AsyncIterable<Buffer> | Iterable<Buffer> }

async function* sectionsOf(
  { files, nameBytes, contentBytes }: ZipTotals,
  entries: () => AsyncIterable<ZipEntry>,
  { start }: Part,
): AsyncGenerator<Section> {
  const directoryStart = contentBytes + nameBytes + files * headerBytes
  const directoryBytes = nameBytes + files * recordBytes
  if (start >= directoryStart) yield { sizeBytes: directoryStart, open: () => [] }
  else
    for await (const entry of entries()) {
      yield bytes(localHeader(entry))
      yield entry
    }
  let offset = 0
  for await (const entry of entries()) {
    yield bytes(directoryRecord(entry, offset))
    offset += headerBytes + Buffer.byteLength(entry.name) + entry.sizeBytes
  }
  if (offset !== directoryStart) throw new Error('the files of the zip have another size than was planned')
  yield bytes(endOfDirectory({ files, directoryStart, directoryBytes }))
}

function bytes(all: Buffer): Section {
  return { sizeBytes: all.length, open: (from) => [all.subarray(from)] }
}

async function* within({ start, end }: Part, sections: AsyncIterable<Section>): AsyncGenerator<Buffer> {
  let at = 0
  for await (const { sizeBytes, open } of sections) {
    const next = at + sizeBytes
    if (next > start) yield* exactly(open(Math.max(0, start - at)), Math.max(start, at), Math.min(end, next))
    at = next
    if (at >= end) return
  }
}

/** The bytes from `at` to `end`. A source with fewer is a fault: the zip must not go on with the next file. */
async function* exactly(
  source: AsyncIterable<Buffer> | Iterable<Buffer>,
  at: number,
  end: number,
): AsyncGenerator<Buffer> {
  let left = end - at
  if (left === 0) return
  for await (const chunk of source) {
    if (chunk.length > 0) yield chunk.length > left ? chunk.subarray(0, left) : chunk
    left -= Math.min(left, chunk.length)
    if (left === 0) return
  }
  throw new Error(`a file of the zip ended ${left} bytes early`)
}

const chunkBytes = 16 * 1024

/** Joins small chunks: a header has a hundred bytes, and each write to the caller has a cost. Large ones are not copied. */
async function* inChunks(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let small: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    const isLarge = chunk.length >= chunkBytes
    if (size > 0 && (isLarge || size + chunk.length > chunkBytes)) {
      yield Buffer.concat(small)
      small = []
      size = 0
    }
    if (isLarge) yield chunk
    else {
      small.push(chunk)
      size += chunk.length
    }
  }
  if (size > 0) yield Buffer.concat(small)
}

/** Version 4.5 of the format: the first with 64-bit sizes. Made as by Unix, so that the file mode counts. */
const version = 45
const madeBy = (3 << 8) | version
const fileMode = 0o100644
/** Names are UTF-8. */
const flags = 0x0800
/** The first day the format knows, 1980-01-01: a real time would be in the zone of a host. */
const day = 0x0021
const in64Bits = 0xffffffff
const extra64 = 0x0001

function localHeader({ name, sizeBytes, crc32 }: ZipEntry): Buffer {
  const nameBytes = Buffer.from(name)
  const header = Buffer.alloc(headerBytes + nameBytes.length)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(version, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(day, 12)
  header.writeUInt32LE(crc32, 14)
  header.writeUInt32LE(in64Bits, 18)
  header.writeUInt32LE(in64Bits, 22)
  header.writeUInt16LE(nameBytes.length, 26)
  header.writeUInt16LE(20, 28)
  nameBytes.copy(header, 30)
  writeExtra(header, 30 + nameBytes.length, [sizeBytes, sizeBytes])
  return header
}

function directoryRecord({ name, sizeBytes, crc32 }: ZipEntry, offset: number): Buffer {
  const nameBytes = Buffer.from(name)
  const record = Buffer.alloc(recordBytes + nameBytes.length)
  record.writeUInt32LE(0x02014b50, 0)
  record.writeUInt16LE(madeBy, 4)
  record.writeUInt16LE(version, 6)
  record.writeUInt16LE(flags, 8)
  record.writeUInt16LE(day, 14)
  record.writeUInt32LE(crc32, 16)
  record.writeUInt32LE(in64Bits, 20)
  record.writeUInt32LE(in64Bits, 24)
  record.writeUInt16LE(nameBytes.length, 28)
  record.writeUInt16LE(28, 30)
  record.writeUInt32LE(fileMode * 0x10000, 38)
  record.writeUInt32LE(in64Bits, 42)
  nameBytes.copy(record, 46)
  writeExtra(record, 46 + nameBytes.length, [sizeBytes, sizeBytes, offset])
  return record
}

function writeExtra(target: Buffer, at: number, values: readonly number[]): void {
  target.writeUInt16LE(extra64, at)
  target.writeUInt16LE(values.length * 8, at + 2)
  for (const [index, value] of values.entries()) target.writeBigUInt64LE(BigInt(value), at + 4 + index * 8)
}

type Directory = { files: number; directoryStart: number; directoryBytes: number }

/** The 64-bit end, its locator, and the old end, which refers to the others. */
function endOfDirectory({ files, directoryStart, directoryBytes }: Directory): Buffer {
  const end = Buffer.alloc(endBytes)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4)
  end.writeUInt16LE(madeBy, 12)
  end.writeUInt16LE(version, 14)
  end.writeBigUInt64LE(BigInt(files), 24)
  end.writeBigUInt64LE(BigInt(files), 32)
  end.writeBigUInt64LE(BigInt(directoryBytes), 40)
  end.writeBigUInt64LE(BigInt(directoryStart), 48)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeBigUInt64LE(BigInt(directoryStart + directoryBytes), 64)
  end.writeUInt32LE(1, 72)
  end.writeUInt32LE(0x06054b50, 76)
  end.writeUInt16LE(0xffff, 84)
  end.writeUInt16LE(0xffff, 86)
  end.writeUInt32LE(in64Bits, 88)
  end.writeUInt32LE(in64Bits, 92)
  return end
}
