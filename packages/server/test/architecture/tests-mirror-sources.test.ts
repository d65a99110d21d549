import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../../src', import.meta.url))
const tests = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

const mirrored = ['app', 'domain', 'platform', 'runtimes', 'surfaces']

/** Tests about the other packages and about no single folder of src, and what they share. */
const others = ['agents', 'architecture', 'client', 'contract', 'faults', 'fixtures', 'scripts', 'support']

test('test/ has a folder for each layer of src, and no others than those of its own', () => {
  expect(foldersIn(tests).sort()).toEqual([...mirrored, ...others].sort())
})

test.each(mirrored)('every folder under test/%s is a folder of src', (layer) => {
  const folders = [layer, ...foldersBelow(tests, layer)]

  expect(folders.filter((folder) => !existsSync(`${source}/${folder}`))).toEqual([])
})

test('every test file is in a folder', () => {
  expect(readdirSync(tests).filter((name) => name.endsWith('.test.ts'))).toEqual([])
})

function foldersBelow(root: string, folder: string): string[] {
  return foldersIn(`${root}/${folder}`)
    .map((name) => `${folder}/${name}`)
    .flatMap((path) => [path, ...foldersBelow(root, path)])
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}
