import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { transcriptFixture } from '../../support/sessions/transcript-fixture.ts'

describe('a last line without a newline, after the agent has ended', () => {
  test('a last line without a newline that an ended agent left is stored as a torn_entry with its start, and the next line is read by itself', async () => {
    const { path, read, readLast, lines } = await transcriptFixture()
    await writeFile(path, '{"n":1}\n{"text":"hal')
    expect(await readLast()).toBe(2)
    await appendFile(path, '{"n":2}\n')
    expect(await read()).toBe(1)
    const [first, torn = '', next] = await lines()
    expect([first, next]).toEqual(['{"n":1}', '{"n":2}'])
    expect(JSON.parse(torn)).toEqual({ type: 'torn_entry', bytes: 12, head: '{"text":"hal' })
  })

  test('a last line without a newline that an ended agent left is stored once, even if the host dies before it ends the line in the file', async () => {
    const { path, read, readLast, lines } = await transcriptFixture()
    await writeFile(path, '{"n":1}\n{"text":"hal')
    await readLast()
    await writeFile(path, '{"n":1}\n{"text":"hal')
    expect(await readLast()).toBe(0)
    expect(await readFile(path, 'utf8')).toBe('{"n":1}\n{"text":"hal\n')
    await appendFile(path, '{"n":2}\n')
    await read()
    expect(await lines()).toHaveLength(3)
  })

  test('a last line without a newline that an ended agent left is a whole entry if it is valid JSON', async () => {
    const { path, read, readLast, lines } = await transcriptFixture()
    await writeFile(path, '{"n":1}\n{"n":2}')
    expect(await readLast()).toBe(2)
    await appendFile(path, '{"n":3}\n')
    await read()
    expect(await lines()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'])
  })

  test('a last line without a newline that an ended agent left is not given to the hooks, which judge whole lines', async () => {
    const { path, ingestWith, lines } = await transcriptFixture()
    const seen: string[] = []
    await writeFile(path, '{"n":1}\n{"text":"hal')
    await ingestWith({
      isKept: (line) => {
        seen.push(line)
        return false
      },
      recordAlongside: async (_tx, whole) => void seen.push(...whole),
    })
    expect(new Set(seen)).toEqual(new Set(['{"n":1}']))
    expect((await lines()).map((line) => JSON.parse(line).type)).toEqual(['torn_entry'])
  })

  test('a last line without a newline that an ended agent left, of more than the maximum length, is stored as a torn_entry with its start', async () => {
    const { path, readLast, lines } = await transcriptFixture()
    await writeFile(path, `{"text":"${'x'.repeat(9 * 1024 * 1024)}`)
    await readLast()
    const [torn = ''] = await lines()
    expect(JSON.parse(torn)).toMatchObject({ type: 'torn_entry', bytes: 9 * 1024 * 1024 + 9 })
    expect(torn.length).toBeLessThan(100_000)
  })
})

test('a file that ends in a newline or is empty is left as it is', async () => {
  const { path, readLast } = await transcriptFixture()
  for (const text of ['', '{"n":1}\n']) {
    await writeFile(path, text)
    await readLast()
    expect(await readFile(path, 'utf8')).toBe(text)
  }
})
