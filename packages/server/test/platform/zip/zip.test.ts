import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type ZipEntry, zipPart, zipSize } from '../../../src/platform/zip/zip.ts'
import { readDirectory, readZip } from '../../support/files/read-zip.ts'

type Opened = { name: string; from: number }

function entry(name: string, text: string, opened: Opened[] = []): ZipEntry {
  const content = Buffer.from(text)
  return {
    name,
    sizeBytes: content.length,
    crc32: crc32(content),
    open: async function* (from) {
      opened.push({ name, from })
      yield content.subarray(from)
    },
  }
}

/** Its content is never read. */
function unread(name: string, sizeBytes: number): ZipEntry {
  return {
    name,
    sizeBytes,
    crc32: 7,
    open: () => {
      throw new Error(`${name} is read`)
    },
  }
}

function zipOf(entries: readonly ZipEntry[]) {
  const totals = {
    files: entries.length,
    nameBytes: entries.reduce((sum, { name }) => sum + Buffer.byteLength(name), 0),
    contentBytes: entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  }
  const sizeBytes = zipSize(totals)
  const part = (start: number, end: number) =>
    buffer(
      zipPart(
        totals,
        async function* () {
          yield* entries
        },
        { start, end },
      ),
    )
  return { sizeBytes, part, whole: () => part(0, sizeBytes) }
}

describe('a zip', () => {
  test('a zip has the size that was planned and a checksum for each file, also with more than 65,535 files', async () => {
    const zip = zipOf(Array.from({ length: 65_600 }, (_, n) => entry(`folder/${n}.json`, `text ${n}`)))
    const bytes = await zip.whole()
    expect(bytes.length).toBe(zip.sizeBytes)
    const files = readZip(bytes)
    expect(files.size).toBe(65_600)
    expect(String(files.get('folder/65599.json'))).toBe('text 65599')
  })

  test('a zip is made of any of its parts', async () => {
    const zip = zipOf([entry('a', 'x'.repeat(300)), entry('empty', ''), entry('ü/b', 'y'.repeat(100))])
    const whole = await zip.whole()
    expect([...readZip(whole).keys()]).toEqual(['a', 'empty', 'ü/b'])
    for (let start = 0; start < zip.sizeBytes; start += 7)
      for (const end of [start + 1, start + 150, zip.sizeBytes].filter((each) => each <= zip.sizeBytes))
        expect((await zip.part(start, end)).equals(whole.subarray(start, end))).toBe(true)
  })

  test('a part of a zip opens no file before or after it, and the first one where the part begins', async () => {
    const opened: Opened[] = []
    const names = ['a', 'b', 'c', 'd']
    const zip = zipOf(names.map((name) => entry(name, name.repeat(1000), opened)))
    await zip.part(1051 + 51 + 10, 2 * 1051 + 51 + 20)
    expect(opened).toEqual([
      { name: 'b', from: 10 },
      { name: 'c', from: 0 },
    ])
    opened.length = 0
    await zip.part(zip.sizeBytes - 100, zip.sizeBytes)
    expect(opened).toEqual([])
  })

  test('a zip beyond 4 GB has the offset and the size of every file in 64 bits', async () => {
    const gigabyte = 1024 ** 3
    const entries = [unread('first', 5 * gigabyte), unread('second', 3 * gigabyte), unread('last', 9)]
    const zip = zipOf(entries)
    const start = 8 * gigabyte + 9 + 3 * 50 + 'firstsecondlast'.length
    expect(readDirectory(await zip.part(start, zip.sizeBytes), start)).toEqual([
      { name: 'first', checksum: 7, size: 5 * gigabyte, offset: 0 },
      { name: 'second', checksum: 7, size: 3 * gigabyte, offset: 5 * gigabyte + 55 },
      { name: 'last', checksum: 7, size: 9, offset: 8 * gigabyte + 55 + 56 },
    ])
    const header = await zip.part(5 * gigabyte + 55, 5 * gigabyte + 55 + 4)
    expect(header.readUInt32LE(0)).toBe(0x04034b50)
  })

  test('a zip whose file is shorter than planned fails instead of ending', async () => {
    const zip = zipOf([{ ...entry('a', 'two'), sizeBytes: 4 }])
    await expect(zip.whole()).rejects.toThrow('1 bytes early')
  })

  test('a zip whose file cannot be read fails with the reason', async () => {
    const zip = zipOf([entry('first', 'x'), unread('broken', 10)])
    await expect(zip.whole()).rejects.toThrow('broken is read')
  })

  test('a zip that its reader leaves in the middle closes the open file and opens no further one', async () => {
    const seen: string[] = []
    const endless = (name: string): ZipEntry => ({
      ...unread(name, 1e12),
      open: async function* () {
        seen.push(`${name} opened`)
        try {
          for (;;) yield Buffer.alloc(65_536)
        } finally {
          seen.push(`${name} closed`)
        }
      },
    })
    const entries = [endless('a'), endless('b')]
    const totals = { files: 2, nameBytes: 2, contentBytes: 2e12 }
    const list = async function* () {
      yield* entries
    }
    for await (const chunk of zipPart(totals, list, { start: 0, end: zipSize(totals) })) if (chunk.length > 1000) break
    expect(seen).toEqual(['a opened', 'a closed'])
  })
})
