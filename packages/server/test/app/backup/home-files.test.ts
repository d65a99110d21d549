import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { homeFiles } from '../../../src/app/backup/home-files.ts'
import { readTar, tarEnd } from '../../../src/platform/files/tar.ts'

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  const readdir = async (...given: Parameters<typeof original.readdir>) => {
    const entries = await original.readdir(...given)
    return [...entries, ...entries]
  }
  return { ...original, readdir }
})

test('a file that its folder lists twice is stored once', async () => {
  const home = await mkdtemp(join(tmpdir(), 'yardmaster-home-files-'))
  onTestFinished(() => rm(home, { recursive: true }))
  await writeFile(join(home, 'host-id'), 'x')

  const paths: string[] = []
  for await (const { path } of readTar(tarOf(home))) paths.push(path.toString())

  expect(paths).toEqual(['home/host-id'])
})

async function* tarOf(home: string): AsyncGenerator<Buffer> {
  yield* homeFiles(home, { ownerOf: () => '', onSkipped: () => undefined, isLeftOut: () => false })
  yield tarEnd
}
