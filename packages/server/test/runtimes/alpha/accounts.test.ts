import { expect, test } from 'vitest'
import { alphaAccounts, loginFile } from '../../../src/runtimes/alpha/accounts.ts'
import type { AlphaConfig } from '../../../src/runtimes/alpha/config.ts'
import { decideTurnEnd } from '../../../src/runtimes/alpha/turn-end.ts'

const accounts = alphaAccounts({} as AlphaConfig, 'claude')
const exit = { code: 1, signal: null }
const outcome = { wasInterrupted: false, earlyEnd: undefined, exit, stderr: '' }
const result = (status: number) => ({
  kind: 'result' as const,
  isError: true,
  status,
  terminalReason: 'completed',
  text: "You've hit your session limit",
  conversationId: undefined,
})

test('reads the login file that the CLI writes, and writes one without a refresh token for a served login', () => {
  const text = JSON.stringify({
    claudeAiOauth: { accessToken: 'a', refreshToken: 'r', expiresAt: 1_794_900_000_000, scopes: ['user:inference'] },
  })
  const login = accounts.readLogin(text)
  expect(login).toMatchObject({ accessToken: 'a', refreshToken: 'r', expiresAt: '2026-11-17T07:20:00.000Z' })
  if (!login) throw new Error('no login')
  expect(JSON.parse(loginFile({ ...login, refreshToken: null })).claudeAiOauth).not.toHaveProperty('refreshToken')
  expect(accounts.readLogin('nonsense')).toBeUndefined()
  const endless = JSON.stringify({ claudeAiOauth: { accessToken: 'a', expiresAt: 1.8e21 } })
  expect(accounts.readLogin(endless)).toMatchObject({ accessToken: 'a', expiresAt: null })
})

test('writes a new pair into a login file, and leaves what else the CLI keeps there', () => {
  const before = { claudeAiOauth: { accessToken: 'a', refreshToken: 'r', added: 1 }, mcpOAuth: { server: 'x' } }
  const login = accounts.readLogin(JSON.stringify({ claudeAiOauth: { accessToken: 'b', refreshToken: 's' } }))
  if (!login) throw new Error('no login')
  expect(JSON.parse(accounts.writeLogin(login, JSON.stringify(before)))).toMatchObject({
    claudeAiOauth: { accessToken: 'b', refreshToken: 's', added: 1 },
    mcpOAuth: { server: 'x' },
  })
})

test('a spent quota is told by status 429 and a rejected rate-limit event, not by the text', () => {
  const resetsAt = new Date()
  const limit = { kind: 'limit' as const, status: 'rejected', window: 'seven_day', resetsAt }
  expect(decideTurnEnd({ ...outcome, result: result(429), limit })).toMatchObject({
    reason: 'rate_limit',
    signal: { kind: 'quota_spent', window: 'weekly', resetsAt },
  })
  expect(decideTurnEnd({ ...outcome, result: result(429) })).not.toHaveProperty('signal')
  expect(decideTurnEnd({ ...outcome, result: result(500), limit })).not.toHaveProperty('signal')
})

test('a rejected login is told by its status', () => {
  expect(decideTurnEnd({ ...outcome, result: result(401) })).toMatchObject({ signal: { kind: 'login_rejected' } })
})

test('the login command asks for a code as soon as it has printed its address', () => {
  expect(accounts.signIn.read('Opening browser to sign in…\n')).toEqual({ asksForCode: false })
  expect(accounts.signIn.read("If the browser didn't open, visit: https://claude.com/cai?x=1\n")).toEqual({
    url: 'https://claude.com/cai?x=1',
    asksForCode: true,
  })
})
