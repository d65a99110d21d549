import { expect, test } from 'vitest'
import { fileEntry, readTar, tarEnd, tarHeader } from '../../../src/platform/files/tar.ts'

test.each([
  ['no date holds', Number.NaN, 0],
  ['is before 1970', -1000, 0],
  ['has more digits than a header', 8.64e15, 8 ** 11 - 1],
  ['is usual', Date.parse('2026-08-22T18:09:42Z'), 1787422182],
])('a file whose time %s can be read from the tar', async (_, time, seconds) => {
  const header = tarHeader({ ...fileEntry('home/x', 0), modifiedAt: new Date(time) })
  const read: number[] = []
  for await (const { modifiedAt } of readTar(asSource(Buffer.concat([header, tarEnd]))))
    read.push(modifiedAt.getTime() / 1000)
  expect(read).toEqual([seconds])
})

async function* asSource(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
