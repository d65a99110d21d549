/** Reads a zip without compression by its directory, as an unpacker does. Checks the checksum of nothing. */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x06, 0x06]))
  if (end < 0) throw new Error('no end of the directory')
  const count = Number(zip.readBigUInt64LE(end + 32))
  let at = Number(zip.readBigUInt64LE(end + 48))
  const files = new Map<string, Buffer>()
  for (let index = 0; index < count; index++) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error(`no directory record at ${at}`)
    const size = zip.readUInt32LE(at + 24)
    const nameLength = zip.readUInt16LE(at + 28)
    const rest = zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    if (files.has(name)) throw new Error(`two files are named ${name}`)
    const header = zip.readUInt32LE(at + 42)
    if (zip.readUInt32LE(header) !== 0x04034b50) throw new Error(`no file at ${header}`)
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
    files.set(name, zip.subarray(start, start + size))
    at += 46 + nameLength + rest
  }
  return files
}
