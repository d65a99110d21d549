import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '@yardmaster/contract/limits'
import { afterAll, describe, expect, test } from 'vitest'
import { openProviderKey } from '../../../src/domain/provider-keys/provider-keys.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardmaster-provider-keys-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const file = join(folder, 'runtimes.json')
const agent = { driver: 'acp', command: '/bin/true', environment: ['HELPER_URL', 'HELPER_API_KEY'] }
writeFileSync(file, JSON.stringify({ runtimes: [{ name: 'helper', ...agent }] }))

const app = testApp({ environment: { RUNTIMES_PATH: file } })
const key = 'sk-helper-0123456789abcdef'

describe('provider keys', () => {
  test('stores a key sealed, names the variable of the agent, and never answers the key', async () => {
    const stored = await app.post('/provider_keys/helper', { key })
    expect(stored).toMatchObject({
      status: 200,
      body: { provider_key: { runtime: 'helper', variable: 'HELPER_API_KEY' } },
    })
    const answers = [stored, await app.get('/provider_keys'), await app.get('/account_pools')]
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(key)
    expect(answers[2]?.body.account_pools).toContainEqual(
      expect.objectContaining({ runtime: 'helper', takes_provider_key: true, has_provider_key: true, has_pool: false }),
    )
    const { rows } = await app.pool.query('select key from provider_keys')
    expect(rows[0].key).toMatch(/^v1\./)
  })

  test('gives the stored key to the agent of a turn, replaces it, and deletes it', async () => {
    const runtime = app.host.app.runtimes.find('helper')
    if (!runtime) throw new Error('no runtime')
    await app.post('/provider_keys/helper', { key: `${key}-2` })
    expect(await openProviderKey(app.host.app, runtime)).toBe(`${key}-2`)
    expect(await app.delete('/provider_keys/helper')).toMatchObject({ status: 204 })
    expect(await openProviderKey(app.host.app, runtime)).toBeUndefined()
    expect(await app.delete('/provider_keys/helper')).toMatchObject({ status: 404 })
    expect((await app.get('/provider_keys')).body).toEqual({ provider_keys: [] })
  })
  test.each([
    ['too short', 'short', 'is too short (minimum is 8 characters)'],
    [
      'too long',
      'k'.repeat(limits.accountCredentials + 1),
      `is too long (maximum is ${limits.accountCredentials} characters)`,
    ],
    ['several words', 'two words of it', 'must be one word of ASCII characters'],
  ])('refuses a key that is %s with a sentence', async (_about, refused, problem) => {
    const answer = await app.post('/provider_keys/helper', { key: refused })
    expectProblem(answer, 422, 'Validation failed', `Key ${problem}`)
  })
})
