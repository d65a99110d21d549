import { expect, test } from 'vitest'
import { betaAccounts } from '../../../src/runtimes/beta/accounts.ts'
import type { BetaConfig } from '../../../src/runtimes/beta/config.ts'
import { accessOf, configToml } from '../../../src/runtimes/beta/config-toml.ts'
import { failed } from '../../../src/runtimes/beta/turn-end.ts'
import { noEquipment } from '../../../src/runtimes/equipment.ts'

const accounts = betaAccounts({ RUNTIME_BETA_ISSUER: 'https://id.test/' } as BetaConfig, 'codex')
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (claims: unknown): string => `${encoded({ alg: 'none' })}.${encoded(claims)}.c2ln`
const idToken = token({
  email: 'a@b.test',
  'https://api.openai.com/auth': { chatgpt_account_id: 'acc-1', chatgpt_plan_type: 'pro' },
})
const accessToken = token({ exp: 1_794_900_000 })
const file = JSON.stringify({ tokens: { id_token: idToken, access_token: accessToken, refresh_token: 'rt_1' } })

test('reads the login file that codex writes, with the address and the expiry that its tokens tell', () => {
  expect(accounts.readLogin(file)).toMatchObject({
    email: 'a@b.test',
    refreshToken: 'rt_1',
    vendorAccountId: 'acc-1',
    subscriptionType: 'pro',
    expiresAt: '2026-11-17T07:20:00.000Z',
  })
  expect(accounts.readLogin('{"OPENAI_API_KEY":"sk-1"}')).toBeUndefined()
})

test('writes a new pair into a login file, and leaves the key that a person has there', () => {
  const login = accounts.readLogin(file)
  if (!login) throw new Error('no login')
  const before = JSON.stringify({ OPENAI_API_KEY: 'sk-1', agent_identity: { a: 1 }, tokens: { access_token: 'old' } })
  expect(JSON.parse(accounts.writeLogin(login, before))).toMatchObject({
    auth_mode: 'chatgpt',
    OPENAI_API_KEY: 'sk-1',
    agent_identity: { a: 1 },
    tokens: { access_token: accessToken, refresh_token: 'rt_1' },
  })
})

test.each(['', 'a\0b', 'x'.repeat(300)])('an address that is no name (%j) is not believed', (email) => {
  const tokens = { id_token: token({ email }), access_token: accessToken }
  expect(accounts.readLogin(JSON.stringify({ tokens }))).toMatchObject({ email: null })
})

test('a turn that an account serves gets no key of the host', () => {
  const host = { environment: { OPENAI_API_KEY: 'sk-host' }, baseUrl: undefined, authFile: undefined }
  const login = accounts.readLogin(file)
  const access = accessOf(host, login)
  expect(access.environment).toEqual({})
  expect(configToml(access, [], { equipment: noEquipment })).toContain('"model_provider" = "openai"')
})

test('a spent quota is told by codex’s error code, with the window that its headers name', () => {
  const limits = {
    rateLimits: { primary: { usedPercent: 100, resetsAt: 1_794_900_000 }, secondary: { usedPercent: 30 } },
  }
  expect(failed({ message: 'x', codexErrorInfo: 'usageLimitExceeded' }, limits)).toMatchObject({
    signal: { kind: 'quota_spent', window: 'five_hour', resetsAt: new Date('2026-11-17T07:20:00Z') },
  })
  const unauthorized = { message: 'x', codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 401 } } }
  expect(failed(unauthorized)).toMatchObject({ signal: { kind: 'login_rejected' } })
  expect(failed({ message: 'usage limit reached' })).not.toHaveProperty('signal')
})

test('the login command shows an address and a code to type there, without its colours', () => {
  const output = '\u001b[94mhttps://id.test/codex/device\u001b[0m\n\n2. Enter\n   \u001b[94mABCD-1234\u001b[0m\n'
  expect(accounts.signIn.read(output)).toEqual({ url: 'https://id.test/codex/device', code: 'ABCD-1234' })
  expect(accounts.signIn.args).toContain('https://id.test')
})
