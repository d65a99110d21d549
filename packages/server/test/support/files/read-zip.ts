import { crc32 } from 'node:zlib'

/** Reads a zip of our form (64-bit, without compression) by its directory, as an unpacker does, and checks every checksum. */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (const { name, size, offset, checksum } of readDirectory(zip)) {
    if (files.has(name)) throw new Error(`two files are named ${name}`)
    if (zip.readUInt32LE(offset) !== 0x04034b50) throw new Error(`no file at ${offset}`)
    const start = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28)
    const content = zip.subarray(start, start + size)
    if (crc32(content) !== checksum || zip.readUInt32LE(offset + 14) !== checksum)
      throw new Error(`${name} has another checksum`)
    files.set(name, content)
  }
  return files
}

export type ListedEntry = { name: string; size: number; offset: number; checksum: number }

/** From the end of a zip; `skipped`: how many bytes are before it. */
export function readDirectory(zip: Buffer, skipped = 0): ListedEntry[] {
  const old = zip.length - 22
  if (zip.readUInt32LE(old) !== 0x06054b50 || zip.readUInt32LE(old - 20) !== 0x07064b50)
    throw new Error('no end of the directory')
  const end = Number(zip.readBigUInt64LE(old - 12)) - skipped
  if (zip.readUInt32LE(end) !== 0x06064b50) throw new Error('no 64-bit end of the directory')
  const count = Number(zip.readBigUInt64LE(end + 32))
  let at = Number(zip.readBigUInt64LE(end + 48)) - skipped
  const entries: ListedEntry[] = []
  for (let index = 0; index < count; index++) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error(`no directory record at ${at}`)
    const nameLength = zip.readUInt16LE(at + 28)
    const extra = at + 46 + nameLength
    entries.push({
      name: zip.toString('utf8', at + 46, extra),
      checksum: zip.readUInt32LE(at + 16),
      size: Number(zip.readBigUInt64LE(extra + 4)),
      offset: Number(zip.readBigUInt64LE(extra + 20)),
    })
    at = extra + zip.readUInt16LE(at + 30)
  }
  if (at !== end) throw new Error('the directory has another length')
  return entries
}
