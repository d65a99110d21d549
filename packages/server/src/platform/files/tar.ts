/**
 * The tar format as far as backups need it: files, folders and symbolic links, with names of any length and any bytes. Names are
 * kept as bytes, because an agent may give a file a name that is no text.
 */
export type TarEntry = {
  path: Buffer
  type: 'file' | 'folder' | 'link'
  mode: number
  /** The name of the owner, if it is not the user who wrote the tar. */
  owner: string
  sizeBytes: number
  modifiedAt: Date
  /** What a symbolic link names. */
  target: Buffer
}

const blockBytes = 512
const nothing = Buffer.alloc(0)
const typeFlags = { file: '0', folder: '5', link: '2' } as const
/** Eleven octal digits. */
const maxOctal = 8 ** 11

export function fileEntry(path: string, sizeBytes: number): TarEntry {
  return {
    path: Buffer.from(path),
    type: 'file',
    mode: 0o600,
    owner: '',
    sizeBytes,
    modifiedAt: new Date(0),
    target: nothing,
  }
}

/** The header of an entry. Its bytes follow, then `paddingOf` its size. */
export function tarHeader(entry: TarEntry): Buffer {
  const extended = extendedRecords(entry)
  if (extended.length === 0) return plainHeader(entry, typeFlags[entry.type])
  const about = plainHeader({ ...fileEntry('extended', extended.length), mode: entry.mode }, 'x')
  return Buffer.concat([about, extended, paddingOf(extended.length), plainHeader(entry, typeFlags[entry.type])])
}

export function paddingOf(sizeBytes: number): Buffer {
  return Buffer.alloc((blockBytes - (sizeBytes % blockBytes)) % blockBytes)
}

export const tarEnd = Buffer.alloc(2 * blockBytes)

/** What does not fit into the fields of the header. */
function extendedRecords({ path, target, sizeBytes }: TarEntry): Buffer {
  return Buffer.concat([
    path.length > 100 ? record('path', path) : nothing,
    target.length > 100 ? record('linkpath', target) : nothing,
    sizeBytes >= maxOctal ? record('size', Buffer.from(String(sizeBytes))) : nothing,
  ])
}

/** `26 path=...` and a line end. The length counts itself. */
function record(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')])
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

function plainHeader({ path, mode, owner, sizeBytes, modifiedAt, target }: TarEntry, flag: string): Buffer {
  const header = Buffer.alloc(blockBytes)
  path.copy(header, 0, 0, 100)
  header.write(octal(mode & 0o777, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(sizeBytes < maxOctal ? sizeBytes : 0, 11), 124)
  header.write(octal(secondsOf(modifiedAt), 11), 136)
  header.write(' '.repeat(8), 148)
  header.write(flag, 156)
  target.copy(header, 157, 0, 100)
  header.write('ustar\0' + '00', 257, 'latin1')
  header.write(owner, 265, 31)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148, 'latin1')
  return header
}

/** Anyone who can write a file can give it any time, also one that no date holds. */
function secondsOf(time: Date): number {
  const seconds = Math.floor(time.getTime() / 1000)
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(0, seconds), maxOctal - 1)
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

export class NoTar extends Error {
  override readonly name = 'NoTar'
}

/** An entry with its bytes. They must be read before the next entry. */
export type ReadEntry = TarEntry & { content: AsyncIterable<Buffer> }

/** Extended headers are short; a longer one is not ours. */
const maxExtendedBytes = 1024 * 1024

export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const bytes = byteReader(source)
  let extended: Partial<Record<string, Buffer>> = {}
  for (;;) {
    const header = await bytes.exactly(blockBytes)
    if (header.every((byte) => byte === 0)) return
    const { flag, ...entry } = readHeader(header, extended)
    if (flag === 'x') {
      if (entry.sizeBytes > maxExtendedBytes) throw new NoTar('an extended header is too long')
      extended = readRecords(await bytes.exactly(entry.sizeBytes))
      await bytes.exactly(paddingOf(entry.sizeBytes).length)
      continue
    }
    extended = {}
    const type = (['file', 'folder', 'link'] as const).find((each) => typeFlags[each] === flag)
    if (!type) throw new NoTar(`an entry has the unknown type ${JSON.stringify(flag)}`)
    const content = bytes.upTo(entry.sizeBytes)
    yield { ...entry, type, content }
    for await (const _ of content);
    await bytes.exactly(paddingOf(entry.sizeBytes).length)
  }
}

function readHeader(header: Buffer, extended: Partial<Record<string, Buffer>>) {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (number(header, 148, 8) !== sum) throw new NoTar('a header is damaged')
  return {
    flag: header.toString('latin1', 156, 157),
    path: extended.path ?? field(header, 0, 100),
    mode: number(header, 100, 8),
    sizeBytes: extended.size ? Number(extended.size) : number(header, 124, 12),
    modifiedAt: new Date(number(header, 136, 12) * 1000),
    target: extended.linkpath ?? field(header, 157, 100),
    owner: field(header, 265, 32).toString('latin1'),
  }
}

function field(header: Buffer, start: number, length: number): Buffer {
  const whole = header.subarray(start, start + length)
  const end = whole.indexOf(0)
  return Buffer.from(end < 0 ? whole : whole.subarray(0, end))
}

function number(header: Buffer, start: number, length: number): number {
  const text = field(header, start, length).toString('latin1').trim()
  if (!/^[0-7]*$/.test(text)) throw new NoTar('a header holds no number where one belongs')
  return text === '' ? 0 : Number.parseInt(text, 8)
}

function readRecords(bytes: Buffer): Partial<Record<string, Buffer>> {
  const records: Partial<Record<string, Buffer>> = {}
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(' ', at)
    const equals = bytes.indexOf('=', space)
    const end = at + Number(bytes.toString('latin1', at, space))
    if (space < 0 || equals < 0 || !(end > equals) || end > bytes.length)
      throw new NoTar('an extended header is damaged')
    records[bytes.toString('latin1', space + 1, equals)] = Buffer.from(bytes.subarray(equals + 1, end - 1))
    at = end
  }
  return records
}

function byteReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let left: Buffer = nothing
  const some = async (max: number): Promise<Buffer> => {
    while (left.length === 0) {
      const { value, done } = await chunks.next()
      if (done) throw new NoTar('it ends early')
      left = value
    }
    const part = left.subarray(0, max)
    left = left.subarray(part.length)
    return part
  }
  return {
    exactly: async (length: number): Promise<Buffer> => {
      const parts: Buffer[] = []
      for (let missing = length; missing > 0; ) {
        const part = await some(missing)
        parts.push(part)
        missing -= part.length
      }
      return Buffer.concat(parts)
    },
    upTo: async function* (length: number): AsyncGenerator<Buffer> {
      for (let missing = length; missing > 0; ) {
        const part = await some(missing)
        missing -= part.length
        yield part
      }
    },
  }
}
