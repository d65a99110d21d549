import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { recover } from '../../../src/domain/turns/recover.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'

const app = testApp()
const { create, reaches } = sessionHelpers(app)
const homeOf = (id: number): string => join(app.home, 'runtimes', `session-${id}`)
const removeSecrets = vi.fn(async (_home: string) => undefined)

beforeEach(() => {
  demoRuntime.removeSecrets = removeSecrets
})
afterEach(() => {
  delete demoRuntime.removeSecrets
  removeSecrets.mockReset()
})

test('the secrets of a turn are removed before the session rests, however the turn ends', async () => {
  const rested = await create('say hello')
  await reaches(rested, 'needs_input')
  const failed = await create('fail on purpose')
  await reaches(failed, 'failed')
  expect(removeSecrets.mock.calls.map(([home]) => home)).toEqual([homeOf(rested), homeOf(failed)])
})

test('a problem with removing secrets does not change how the turn ended', async () => {
  removeSecrets.mockRejectedValue(new Error('no'))
  const id = await create('say hello')
  expect(await reaches(id, 'needs_input')).toMatchObject({ status: 'needs_input' })
})

test('a start removes the secrets that a crash left in any home', async () => {
  await mkdir(homeOf(987_654), { recursive: true })
  await writeFile(join(homeOf(987_654), 'note'), 'kept')
  await recover(app.host.app)
  expect(removeSecrets.mock.calls.map(([home]) => home)).toContain(homeOf(987_654))
  expect(await readFile(join(homeOf(987_654), 'note'), 'utf8')).toBe('kept')
})
