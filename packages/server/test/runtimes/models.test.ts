import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readModels } from '../../src/runtimes/models.ts'
import { drivers } from '../../src/runtimes/registry.ts'

test('alpha offers four models and beta eight, each with one default', () => {
  const { runtime_alpha: alpha = [], runtime_beta: beta = [] } = readModels(drivers)
  expect([alpha.length, beta.length]).toEqual([4, 8])
  for (const models of [alpha, beta]) expect(models.filter((model) => model.default)).toHaveLength(1)
  expect(beta.filter(({ label }) => label.includes('2026-08-31'))).toHaveLength(2)
  expect(beta.filter(({ label }) => label.includes('deprecated'))).toHaveLength(2)
  expect(beta.some((model) => model.requires_oauth)).toBe(true)
})

test('a list in the models file replaces the built-in list of that runtime and of no other', async () => {
  const path = await file({ runtime_alpha: [{ id: 'house-model[1m]', label: 'House', default: true }] })
  const models = readModels(drivers, path)
  expect(models.runtime_alpha).toEqual([
    { id: 'house-model[1m]', label: 'House', default: true, requires_oauth: false },
  ])
  expect(models.runtime_beta).toEqual(readModels(drivers).runtime_beta)
})

test.each([
  [{ runtime_alpha: [{ id: 'a', label: '' }] }, 'runtime_alpha[0].label must not be empty'],
  [{ runtime_alpha: [{ id: 'a b', label: 'A', default: true }] }, 'runtime_alpha[0].id must be the id'],
  [{ runtime_beta: [{ id: 'a', label: 'A' }] }, 'runtime_beta must have exactly one model with "default": true'],
  [{ runtime_beta: [] }, 'runtime_beta must name at least one model'],
  [
    { runtime_beta: [{ id: 'a', label: 'A', leaves_oauth_on: 'soon' }] },
    'runtime_beta[0].leaves_oauth_on must be a date',
  ],
  [
    { runtime_alpha: [1, 2].map((n) => ({ id: 'a', label: 'A', default: n === 1 })) },
    'runtime_alpha must not name a model twice',
  ],
  [{ runtime_gamma: [] }, 'runtime_gamma'],
])('an invalid models file stops the start and names the place: %j', async (content, sentence) => {
  const path = await file(content)
  expect(() => readModels(drivers, path)).toThrow(expect.objectContaining({ name: 'StartupError' }))
  expect(() => readModels(drivers, path)).toThrow(sentence)
})

test('a models file that is missing or not JSON stops the start', async () => {
  expect(() => readModels(drivers, '/nowhere/models.json')).toThrow('/nowhere/models.json: does not exist.')
  const path = await file({})
  await writeFile(path, 'models:')
  expect(() => readModels(drivers, path)).toThrow('is not valid JSON')
})

async function file(content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-models-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'models.json'), JSON.stringify(content))
  return join(folder, 'models.json')
}
