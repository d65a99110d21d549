import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// The limits are in ARCHITECTURE.md. A file or room above its limit holds a second concept: give that its own place.
const fileLimit = 400
const medianLimit = 60
const roomLimit = 2_000
const kernelLimit = 1_500

/** Four kinds of artifacts and the parsers of their files. */
const largeRooms = ['catalog']

const root = fileURLToPath(new URL('../../../..', import.meta.url))

const sources = packageFolders('src').flatMap(linesByFile)

test(`no file has more than ${fileLimit} lines`, () => {
  const files = [...sources, ...['scripts', 'bench', ...packageFolders('test')].flatMap(linesByFile)]

  expect(files.filter(({ lines }) => lines > fileLimit)).toEqual([])
})

test(`the median source file has fewer than ${medianLimit} lines`, () => {
  const sorted = sources.map(({ lines }) => lines).sort((one, other) => one - other)

  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(medianLimit)
})

test(`no room but ${largeRooms.join(', ')} has more than ${roomLimit} lines`, () => {
  const large = linesByRoom().filter(({ lines }) => lines > roomLimit)

  expect(large.filter(({ room }) => !largeRooms.includes(room))).toEqual([])
})

test(`the kernel, domain/sessions, has fewer than ${kernelLimit} lines`, () => {
  const kernel = linesByRoom().find(({ room }) => room === 'sessions')

  expect(kernel?.lines).toBeLessThan(kernelLimit)
})

function packageFolders(name: string): string[] {
  return readdirSync(`${root}/packages`)
    .map((entry) => `packages/${entry}/${name}`)
    .filter((folder) => readdirSync(`${root}/${folder.replace(/\/[^/]+$/, '')}`).includes(name))
}

function linesByFile(folder: string): { file: string; lines: number }[] {
  return readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|mts|mjs)$/.test(file))
    .map((file) => ({ file: `${folder}/${file}`, lines: countLines(`${root}/${folder}/${file}`) }))
}

function linesByRoom(): { room: string; lines: number }[] {
  const domain = 'packages/server/src/domain'
  return readdirSync(`${root}/${domain}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      room: name,
      lines: linesByFile(`${domain}/${name}`).reduce((total, { lines }) => total + lines, 0),
    }))
}

function countLines(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1
}
