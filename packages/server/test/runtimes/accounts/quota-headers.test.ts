import { describe, expect, test } from 'vitest'
import { windowOf } from '../../../src/runtimes/accounts/quota-headers.ts'

const names = { utilization: 'used', reset: 'reset', status: 'status' }
const read = (headers: Record<string, string>) => windowOf(new Headers(headers), names, 1)
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

describe('a quota window in the headers of a vendor', () => {
  test('is read with its share, its end and its status', () => {
    const reset = inSeconds(3600)
    expect(read({ used: '0.4', reset: `${reset}`, status: 'allowed_warning' })).toEqual({
      utilization: 0.4,
      resetsAt: new Date(reset * 1000),
      status: 'allowed_warning',
    })
  })

  test.each(['', 'soon', '-5', '0', 'Infinity', '1e300', `${Date.now()}`, `${inSeconds(40 * 86_400)}`])(
    'has no end if the vendor names an impossible one (%j)',
    (reset) => {
      expect(read({ used: '1', reset })).toEqual({ utilization: 1, resetsAt: null, status: 'rejected' })
    },
  )

  test.each(['', 'much', 'NaN', 'Infinity'])('is unknown if its share is no number (%j)', (used) => {
    expect(read({ used, reset: `${inSeconds(60)}` })).toBeNull()
  })

  test.each([
    ['-3', 0],
    ['7', 1],
  ])('has a share between 0 and 1 if the vendor says %s', (used, utilization) => {
    expect(read({ used })).toMatchObject({ utilization })
  })
})
