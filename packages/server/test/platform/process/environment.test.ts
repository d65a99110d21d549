import { describe, expect, test } from 'vitest'
import { childEnvironment, ownSecrets } from '../../../src/platform/process/environment.ts'

describe('childEnvironment', () => {
  test('hands on what a program needs to find its way, and nothing else', () => {
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

  test('never sends what is on this machine through a proxy', () => {
    const names = 'inner.test,127.0.0.1,localhost,::1'
    expect(childEnvironment({ from: { HTTP_PROXY: 'http://p', NO_PROXY: 'inner.test' } })).toEqual({
      HTTP_PROXY: 'http://p',
      NO_PROXY: names,
      no_proxy: names,
    })
  })

  test('hands on a named variable, and leaves out a named one that we do not have', () => {
    const from = { SSH_AUTH_SOCK: '/s', PROVIDER_KEY: 'k' }
    expect(childEnvironment({ from })).toEqual({})
    expect(childEnvironment({ from, pass: ['SSH_AUTH_SOCK', 'ABSENT'] })).toEqual({ SSH_AUTH_SOCK: '/s' })
  })

  test('what is set wins over what is handed on', () => {
    expect(childEnvironment({ from: { HOME: '/root' }, set: { HOME: '/elsewhere', A: '' } })).toEqual({
      HOME: '/elsewhere',
      A: '',
    })
  })

  test.each(ownSecrets)('%s is not handed on, and asking for it by name is a fault', (name) => {
    const from = { [name]: 'secret' }
    expect(childEnvironment({ from })).toEqual({})
    expect(() => childEnvironment({ from, pass: [name] })).toThrow(name)
    expect(() => childEnvironment({ from: {}, pass: [name] })).toThrow(name)
  })

  test('a project may have a DATABASE_URL of its own, but not ours', () => {
    const from = { DATABASE_URL: 'postgres://ours' }
    expect(childEnvironment({ from, set: { DATABASE_URL: 'postgres://theirs' } }).DATABASE_URL).toBe(
      'postgres://theirs',
    )
    expect(() => childEnvironment({ from, set: { DATABASE_URL: 'postgres://ours' } })).toThrow('DATABASE_URL')
  })
})
