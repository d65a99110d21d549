import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { planZip, type ZipEntry } from '../../../src/platform/zip/zip.ts'
import { readZip } from '../../support/files/read-zip.ts'

function entry(name: string, text: string): ZipEntry {
  return { name, sizeBytes: Buffer.byteLength(text), open: () => Readable.from([Buffer.from(text)]) }
}

function endless(name: string) {
  const seen = { opened: 0, closed: 0 }
  const entry: ZipEntry = {
    name,
    sizeBytes: 1e12,
    open: () => {
      seen.opened++
      return Readable.from(
        (async function* () {
          try {
            for (;;) {
              await nextTurn()
              yield Buffer.alloc(65_536)
            }
          } finally {
            seen.closed++
          }
        })(),
        { objectMode: false },
      )
    },
  }
  return { entry, seen }
}

describe('a zip', () => {
  test('a zip has the size that was planned, also with more files than the library plans correctly', async () => {
    const entries = Array.from({ length: 1000 }, (_, n) => entry(`folder/file-${n}.json`, `text ${n}`))
    const zip = await planZip(entries)
    const bytes = await buffer(zip.open({ start: 0, end: zip.sizeBytes }))
    expect(bytes.length).toBe(zip.sizeBytes)
    const files = readZip(bytes)
    expect(files.size).toBe(1000)
    expect(String(files.get('folder/file-999.json'))).toBe('text 999')
  })

  test('a zip is made of any of its parts, which have the same bytes each time', async () => {
    const zip = await planZip([entry('a', 'x'.repeat(100_000)), entry('b', 'y'.repeat(1000))])
    const whole = await buffer(zip.open({ start: 0, end: zip.sizeBytes }))
    for (const [start, end] of [
      [0, 1],
      [17, 99_000],
      [99_999, zip.sizeBytes],
      [zip.sizeBytes - 1, zip.sizeBytes],
    ] as const)
      expect((await buffer(zip.open({ start, end }))).equals(whole.subarray(start, end))).toBe(true)
  })

  test('a zip whose file has another size than planned fails instead of ending', async () => {
    const wrong = { name: 'a', sizeBytes: 3, open: () => Readable.from([Buffer.from('four')]) }
    const zip = await planZip([wrong])
    await expect(buffer(zip.open({ start: 0, end: zip.sizeBytes }))).rejects.toThrow('unexpected number of bytes')
  })

  test('a zip whose file cannot be read fails with the reason', async () => {
    const broken = {
      name: 'a',
      sizeBytes: 3,
      open: () =>
        new Readable({
          read() {
            this.destroy(new Error('the disk is gone'))
          },
        }),
    }
    const zip = await planZip([entry('first', 'x'), broken])
    await expect(buffer(zip.open({ start: 0, end: zip.sizeBytes }))).rejects.toThrow('the disk is gone')
  })

  test('a zip that its reader leaves in the middle closes the open file and opens no further one', async () => {
    const [first, second] = [endless('a'), endless('b')]
    const zip = await planZip([first.entry, second.entry])
    const stream = zip.open({ start: 0, end: zip.sizeBytes })
    for await (const chunk of stream) if (chunk.length > 1000) break
    expect(stream.destroyed).toBe(true)
    for (let n = 0; n < 50 && first.seen.closed === 0; n++) await nextTurn()
    expect([first.seen, second.seen]).toEqual([
      { opened: 1, closed: 1 },
      { opened: 0, closed: 0 },
    ])
  })

  test('a zip that its reader leaves before the first byte of the part closes the open file', async () => {
    const { entry: file, seen } = endless('a')
    const zip = await planZip([file])
    const stream = zip.open({ start: 9e11, end: zip.sizeBytes })
    stream.resume()
    for (let n = 0; n < 50 && seen.opened === 0; n++) await nextTurn()
    stream.destroy()
    for (let n = 0; n < 50 && seen.closed === 0; n++) await nextTurn()
    expect(seen).toEqual({ opened: 1, closed: 1 })
  })
})
