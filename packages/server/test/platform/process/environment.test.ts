import { describe, expect, test } from 'vitest'
import { childEnvironment, ownSecrets } from '../../../src/platform/process/environment.ts'

describe('childEnvironment', () => {
  test('childEnvironment passes on the harmless variables and nothing else', () => {
    const from = {
      PATH: '/bin',
      LC_TIME: 'C',
      https_proxy: 'http://p',
      NO_PROXY: 'a',
      STRIPE_KEY: 's',
      NODE_OPTIONS: '-x',
    }
    expect(childEnvironment({ from })).toEqual({ PATH: '/bin', LC_TIME: 'C', https_proxy: 'http://p', NO_PROXY: 'a' })
  })

  test('childEnvironment excludes loopback addresses from the proxy', () => {
    const names = 'inner.test,127.0.0.1,localhost,::1'
    expect(childEnvironment({ from: { HTTP_PROXY: 'http://p', NO_PROXY: 'inner.test' } })).toEqual({
      HTTP_PROXY: 'http://p',
      NO_PROXY: names,
      no_proxy: names,
    })
  })

  test('childEnvironment passes on a named variable and omits one that is not set', () => {
    const from = { SSH_AUTH_SOCK: '/s', PROVIDER_KEY: 'k' }
    expect(childEnvironment({ from })).toEqual({})
    expect(childEnvironment({ from, pass: ['SSH_AUTH_SOCK', 'ABSENT'] })).toEqual({ SSH_AUTH_SOCK: '/s' })
  })

  test('values that are set override passed ones', () => {
    expect(childEnvironment({ from: { HOME: '/root' }, set: { HOME: '/elsewhere', A: '' } })).toEqual({
      HOME: '/elsewhere',
      A: '',
    })
  })

  test.each(ownSecrets)('childEnvironment does not pass on %s, and naming it throws', (name) => {
    const from = { [name]: 'secret' }
    expect(childEnvironment({ from })).toEqual({})
    expect(() => childEnvironment({ from, pass: [name] })).toThrow(name)
    expect(() => childEnvironment({ from: {}, pass: [name] })).toThrow(name)
  })

  test('a project may set its own DATABASE_URL but not pass ours', () => {
    const from = { DATABASE_URL: 'postgres://ours' }
    expect(childEnvironment({ from, set: { DATABASE_URL: 'postgres://theirs' } }).DATABASE_URL).toBe(
      'postgres://theirs',
    )
    expect(() => childEnvironment({ from, set: { DATABASE_URL: 'postgres://ours' } })).toThrow('DATABASE_URL')
  })
})
