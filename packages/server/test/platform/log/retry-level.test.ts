import { expect, test } from 'vitest'
import { retryLevel } from '../../../src/platform/log/retry-level.ts'

const fault = new Error('relation "events" does not exist')
const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' })

test('a permanent fault is logged at error when it is new and then at every power of two', () => {
  const level = retryLevel()

  expect(Array.from({ length: 9 }, () => level.of(fault))).toEqual([
    'error',
    'error',
    'debug',
    'error',
    'debug',
    'debug',
    'debug',
    'error',
    'debug',
  ])
})

test('another error is logged at error at once, and so is the same error after a success', () => {
  const level = retryLevel()
  for (let times = 0; times < 3; times += 1) level.of(fault)

  expect(level.of(new Error('permission denied'))).toBe('error')
  for (let times = 0; times < 3; times += 1) level.of(fault)
  level.reset()
  expect(level.of(fault)).toBe('error')
})

test('a password that the database refuses is logged at error although work waits for it, also after it could not be reached', () => {
  const refused = Object.assign(new Error('password authentication failed for user "yardmaster"'), { code: '28P01' })
  const level = retryLevel()
  level.of(outage)
  expect(Array.from({ length: 3 }, () => level.of(refused))).toEqual(['error', 'error', 'debug'])
})

test('an outage of the database is logged at debug, because it is reported elsewhere', () => {
  expect(retryLevel().of(outage)).toBe('debug')
})
