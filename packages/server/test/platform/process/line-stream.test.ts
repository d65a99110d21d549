import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { type Line, readLines } from '../../../src/platform/process/line-stream.ts'

describe('readLines', () => {
  test('readLines splits at newlines, drops the carriage return before one, and yields an unfinished last line', async () => {
    expect(await texts(['a\r\nb\n\n', 'c\rd\n', '\r', '\nend'])).toEqual(['a', 'b', '', 'c\rd', '', 'end'])
    expect(await texts(['a\n'])).toEqual(['a'])
    expect(await texts([])).toEqual([])
    expect(await texts(['', '\n', ''])).toEqual([''])
  })

  test('readLines yields the same lines for any split into chunks', async () => {
    const bytes = Buffer.from('{"a":"žluťoučký 🐎"}\r\n\n日本語\n\u{1F469}\u200D\u{1F680} end\r\nlast é')
    const whole = await all([bytes])
    expect(whole.map((line) => line.text)).toEqual(bytes.toString().split(/\r?\n/))
    for (const size of [1, 2, 3, 5, 7, 11]) {
      expect(await all(cutInto(bytes, size)), `chunks of ${size}`).toEqual(whole)
    }
  })

  test('a line over the limit keeps its start and reports the number of missing bytes', async () => {
    for (const size of [1, 3, 100]) {
      expect(await all(cutInto(Buffer.from('1234567890\nshort\n12345\r\n123456\r\n123456789'), size), 5)).toEqual([
        { text: '12345', truncatedBytes: 5 },
        { text: 'short', truncatedBytes: 0 },
        { text: '12345', truncatedBytes: 0 },
        { text: '12345', truncatedBytes: 1 },
        { text: '12345', truncatedBytes: 4 },
      ])
    }
  })

  test('readLines truncates a line between characters, never within one', async () => {
    const line = Buffer.from('é🐎日') // 2 + 4 + 3 bytes
    const kept = ['', '', 'é', 'é', 'é', 'é', 'é🐎', 'é🐎', 'é🐎', 'é🐎日']
    for (const [limit, text] of kept.entries()) {
      for (const size of [1, 9]) {
        const expected = { text, truncatedBytes: line.length - Buffer.byteLength(text) }
        expect(await all(cutInto(line, size), limit), `limit ${limit}`).toEqual([expected])
      }
    }
  })

  test('bytes that are not UTF-8 and NUL bytes become replacement characters', async () => {
    const bytes = Buffer.concat([Buffer.from('a'), Buffer.from([0xff, 0x00, 0xed, 0xa0, 0x80]), Buffer.from('b\nok\n')])
    const [first, second] = await all([bytes])
    expect(first?.text).toMatch(/^a\uFFFD+b$/)
    expect(second?.text).toBe('ok')
    expect(await all(cutInto(bytes, 1))).toEqual([first, second])
  })

  test('readLines reads the next chunk only after all lines of the last one were pulled', async () => {
    let taken = 0
    const lines = readLines(
      (async function* () {
        for (;;) {
          taken++
          yield Buffer.from('one\ntwo\n')
        }
      })(),
      { maxLineBytes: 100 },
    )
    await lines.next()
    await lines.next()
    expect(taken).toBe(1)
    await lines.next()
    expect(taken).toBe(2)
    await lines.return(undefined)
  })

  test('100 MB without a newline are read without keeping the chunks', async () => {
    const collectGarbage = garbageCollector()
    const chunks: WeakRef<Buffer>[] = []
    const alive: number[] = []
    const megabyte = 1024 * 1024
    const source = async function* () {
      for (let index = 0; index < 100; index++) {
        const chunk = Buffer.alloc(megabyte, 'x')
        chunks.push(new WeakRef(chunk))
        yield chunk
        if (index % 10 !== 9) continue
        // References are released at the end of an iteration of the event loop.
        await new Promise((resolve) => setImmediate(resolve))
        collectGarbage()
        alive.push(chunks.filter((one) => one.deref() !== undefined).length)
      }
    }
    const before = process.memoryUsage().arrayBuffers
    const [line, ...rest] = await all(source(), megabyte / 2)
    collectGarbage()

    expect(line?.truncatedBytes).toBe(99.5 * megabyte)
    expect(rest).toEqual([])
    expect(Math.max(...alive)).toBeLessThanOrEqual(2)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * megabyte)
  })

  test('a line written byte by byte uses memory for its size, not an object for each byte', async () => {
    const collectGarbage = garbageCollector()
    let beforeBytes = 0
    let growthBytes = 0
    const source = async function* () {
      const byte = Buffer.from('x')
      collectGarbage()
      beforeBytes = process.memoryUsage().heapUsed
      for (let index = 0; index < 300_000; index++) yield byte.subarray()
      collectGarbage()
      growthBytes = process.memoryUsage().heapUsed - beforeBytes
    }
    await all(source(), 1024 * 1024)
    expect(growthBytes).toBeLessThan(8 * 1024 * 1024)
  })
})

async function all(source: Iterable<Buffer> | AsyncIterable<Buffer>, maxLineBytes = 1024): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of readLines(asynchronous(source), { maxLineBytes })) lines.push(line)
  return lines
}

async function texts(chunks: string[]): Promise<string[]> {
  return (await all(chunks.map((chunk) => Buffer.from(chunk)))).map((line) => line.text)
}

async function* asynchronous(source: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* source
}

function cutInto(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}
