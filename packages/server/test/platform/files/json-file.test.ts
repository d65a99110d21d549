import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { readJsonFile, readProblem } from '../../../src/platform/files/json-file.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'

const Schema = z.strictObject({ rows: z.array(z.object({ name: z.string('must be text') })) })

test('returns the parsed content', () => {
  expect(readJsonFile(write('{"rows": [{"name": "a"}]}'), Schema)).toEqual({ rows: [{ name: 'a' }] })
})

test('accepts a byte order mark', () => {
  expect(readJsonFile(write('\uFEFF{"rows": []}'), Schema)).toEqual({ rows: [] })
})

test.each([
  ['is not JSON', '{"token": "hunter22"', 'is not valid JSON.'],
  ['has a wrong value', '{"rows": [{"name": "a"}, {"name": 7}]}', 'rows[1].name must be text.'],
  ['has an unknown key', '{"rows": [], "more": "hunter22"}', 'Unrecognized key: "more".'],
])('a file that %s is rejected with its path and the place', (_, content, problem) => {
  const path = write(content)
  expect(() => readJsonFile(path, Schema)).toThrow(new StartupError(`${path}: ${problem}`))
})

test('a missing file and a folder are rejected with their path', () => {
  const folder = makeFolder()
  expect(() => readJsonFile(join(folder, 'none.json'), Schema)).toThrow(
    new StartupError(`${join(folder, 'none.json')}: does not exist.`),
  )
  expect(() => readJsonFile(folder, Schema)).toThrow(new StartupError(`${folder}: cannot be read (EISDIR).`))
})

test('an error that is not from the operating system is rethrown', () => {
  const fault = new TypeError('Not ours to explain')
  expect(() => readProblem(fault)).toThrow(fault)
})

function write(content: string): string {
  const path = join(makeFolder(), 'file.json')
  writeFileSync(path, content)
  return path
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ym-json-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
