import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendUntrusted, createUntrusted } from '../../../src/platform/files/append-untrusted.ts'
import { ifUntrusted } from '../../../src/platform/files/untrusted-file.ts'
import { meanwhile } from '../../support/processes/meanwhile.ts'

let root: string
let home: string
let outside: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'yardmaster-append-'))
  home = join(root, 'home')
  outside = join(root, 'outside')
  for (const folder of [home, outside]) await mkdir(folder)
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('a write into a folder of an agent', () => {
  test('creates the folders and the file, and appends to it', async () => {
    const path = join(home, 'transcripts/of/one.jsonl')
    appendUntrusted(path, 'first\n', { within: home })
    appendUntrusted(path, 'second\n', { within: home })
    createUntrusted(path, 'not written', { within: home })
    expect(await readFile(path, 'utf8')).toBe('first\nsecond\n')
  })

  test.each([
    ['a folder that is a link', () => symlink(outside, join(home, 'transcripts'))],
    ['a folder that is a file', () => writeFile(join(home, 'transcripts'), '')],
    [
      'a file that is a link',
      async () => {
        await mkdir(join(home, 'transcripts'))
        await symlink(join(outside, 'file'), join(home, 'transcripts/one.jsonl'))
      },
    ],
    [
      'a file with a second name elsewhere',
      async () => {
        await mkdir(join(home, 'transcripts'))
        await writeFile(join(outside, 'ours'), '')
        await link(join(outside, 'ours'), join(home, 'transcripts/one.jsonl'))
      },
    ],
  ])('is refused for %s, and nothing is written elsewhere', async (_what, plant) => {
    await plant()
    expect(() => appendUntrusted(join(home, 'transcripts/one.jsonl'), 'x', { within: home })).toThrow(
      /^transcripts\/one.jsonl /,
    )
    for (const name of await readdir(outside)) expect(await readFile(join(outside, name), 'utf8')).toBe('')
  })

  test('reaches no file elsewhere while the agent keeps exchanging the folder for a link', async () => {
    await mkdir(join(home, 'real'))
    const agent = await meanwhile(
      `while :; do mv real transcripts && mv transcripts real && ln -s '${outside}' transcripts && rm transcripts; done`,
      { cwd: home },
    )
    for (let index = 0; index < 3000; index += 1) {
      try {
        appendUntrusted(join(home, `transcripts/${index % 7}.jsonl`), 'x\n', { within: home })
      } catch (error) {
        ifUntrusted(undefined)(error)
      }
    }
    await agent.stop()
    expect(await readdir(outside)).toEqual([])
  })
})
