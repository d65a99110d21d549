import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ServedLogin } from '../../../src/runtimes/accounts/vendor-accounts.ts'
import { placeLogin } from '../../../src/runtimes/beta/login.ts'
import { removeSecrets } from '../../../src/runtimes/beta/prepare-home.ts'

const login: ServedLogin = {
  accessToken: 'token-of-the-account',
  idToken: 'id',
  expiresAt: null,
  email: 'one@example.test',
  subscriptionType: null,
  rateLimitTier: null,
  scopes: [],
}

let home = ''
let authFile = ''
let file = ''
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'beta-login-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  home = join(folder, 'home')
  authFile = join(folder, 'auth.json')
  file = join(home, '.codex', 'auth.json')
  await mkdir(join(home, '.codex'), { recursive: true })
  await writeFile(authFile, 'of the host')
  const anHourAgo = new Date(Date.now() - 3600_000)
  await utimes(authFile, anHourAgo, anHourAgo)
})

const ofAccount = () => placeLogin({ login, authFile: undefined }, { home })
const ofHost = () => placeLogin({ authFile }, { home })
const ofKey = () => placeLogin({ authFile: undefined }, { home })
const found = () => readFile(file, 'utf8')
const formerNote = () => join(home, '.codex', 'yardmaster-served-login')

describe('the login file of a session', () => {
  test('holds the login of the account in its turn, readable by our user only, and is gone after it', async () => {
    await ofAccount()
    expect(JSON.parse(await found()).tokens).toMatchObject({ access_token: 'token-of-the-account', refresh_token: '' })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await removeSecrets(home)
    expect(await readdir(join(home, '.codex'))).toEqual([])
  })

  test('keeps the copy of the host’s login that codex renewed, out of the agent’s reach between turns', async () => {
    await ofHost()
    expect(await found()).toBe('of the host')
    await writeFile(file, 'renewed by codex')
    await removeSecrets(home)
    await expect(found()).rejects.toThrow('ENOENT')
    await ofHost()
    expect(await found()).toBe('renewed by codex')
  })

  test.each([
    ['an account served', ofAccount],
    ['a key served', ofKey],
  ])('keeps nothing that an agent wrote there in a turn that %s, whatever else it wrote', async (_, place) => {
    await place()
    await rm(join(home, '.codex'), { recursive: true })
    await mkdir(join(home, '.codex'))
    await writeFile(file, 'planted')
    await writeFile(join(home, '.codex', 'login-owner'), 'host')
    await removeSecrets(home)
    await expect(found()).rejects.toThrow('ENOENT')
    await ofHost()
    expect(await found()).toBe('of the host')
  })

  test('keeps the host’s renewed login although an agent wrote the note of an older version', async () => {
    await ofHost()
    await writeFile(file, 'renewed by codex')
    await writeFile(formerNote(), '')
    await removeSecrets(home)
    await ofHost()
    expect(await found()).toBe('renewed by codex')
  })

  test('is not used by a turn of the host if the secrets of an account’s turn could not be removed', async () => {
    await ofAccount()
    await ofHost()
    expect(await found()).toBe('of the host')
  })
})

describe('a turn that an older version started', () => {
  test('leaves no login of its account', async () => {
    await writeFile(formerNote(), '')
    await writeFile(file, 'of an account')
    await removeSecrets(home)
    expect(await readdir(join(home, '.codex'))).toEqual([])
    await ofHost()
    expect(await found()).toBe('of the host')
  })

  test('leaves the host’s login as codex renewed it', async () => {
    await writeFile(file, 'renewed by codex')
    await removeSecrets(home)
    await ofHost()
    expect(await found()).toBe('renewed by codex')
  })
})
