import { appendFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { transcriptFixture } from '../../support/sessions/transcript-fixture.ts'

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => JSON.stringify({ n: from + n }))

test('concurrent readers of one file store each line once, in order', async () => {
  const { path, read, lines } = await transcriptFixture()
  await writeFile(path, `${numbered(0, 2500).join('\n')}\n`)
  const counts = await Promise.all([read(), read(), read(), read()])
  await read()
  expect(await lines()).toEqual(numbered(0, 2500))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2500)
})

test('concurrent readers of a growing file store each line once, in order', async () => {
  const { path, read, lines } = await transcriptFixture()
  await writeFile(path, '')
  const writing = (async () => {
    for (let from = 0; from < 1000; from += 10) {
      const text = `${numbered(from, from + 10).join('\n')}\n`
      await appendFile(path, text.slice(0, 33))
      await appendFile(path, text.slice(33))
    }
  })()
  let isWritten = false
  const readers = Array.from({ length: 3 }, async () => {
    while (!isWritten) await read()
  })
  await writing
  isWritten = true
  await Promise.all(readers)
  await read()
  expect(await lines()).toEqual(numbered(0, 1000))
})
