import { connect } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { apiKeys } from '../../../src/platform/http/api-keys.ts'
import { networkOf } from '../../../src/platform/http/guess-limit.ts'
import { keyCheck, refuseUnlessReading } from '../../../src/platform/http/key-check.ts'
import { Refusal } from '../../../src/platform/refusal.ts'
import { testKey } from '../../support/app/app.ts'
import { kitServer } from '../../support/http/kit-server.ts'
import { silentLog } from '../../support/log/silent-log.ts'

const wrongKeys = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `wrong-${from + index}`)

/** A check with a manual clock, and its verdict on a key: right, wrong, or the seconds to wait. */
function checkWithClock(...keys: string[]) {
  let ms = 5000
  const check = keyCheck(apiKeys(keys), {
    log: silentLog,
    isOfOtherKind: (key) => key.startsWith('other_'),
    now: () => ms,
  })
  const judge = async (key: unknown, address = '192.0.2.1') => {
    try {
      return (await check.find(key, address)) ? 'right' : 'wrong'
    } catch (error) {
      if (error instanceof Refusal) return error.beside.retry_after
      throw error
    }
  }
  return {
    judge,
    judgeAll: (tried: readonly string[], address?: string) => Promise.all(tried.map((key) => judge(key, address))),
    pass: (seconds: number) => {
      ms += seconds * 1000
    },
  }
}

describe('a network that guesses keys', () => {
  test('a network that guesses keys is answered 401 for twenty wrong keys a minute, and told to wait for ten thousand more', async () => {
    const judged = await checkWithClock('right').judgeAll(wrongKeys(10_020))
    expect(judged).toEqual([...Array(20).fill('wrong'), ...Array(10_000).fill(60)])
  })

  test('a network that guesses keys is answered 429 with Retry-After, and one log record that contains no key', async () => {
    const { url, records, lines } = await kitServer([])
    const answers: { status: number; retryAfter: string | null; text: string }[] = []
    for (const key of wrongKeys(60)) {
      const answer = await fetch(`${url}/api/v1/anything`, { headers: { 'x-api-key': key } })
      answers.push({ status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() })
    }

    expect(answers.slice(0, 20).every(({ status }) => status === 401)).toBe(true)
    expect(answers.slice(20).every(({ status }) => status === 429)).toBe(true)
    const { retryAfter, text } = answers.at(-1) ?? { text: '' }
    const sentence = `Too many wrong keys from this address; try again in ${retryAfter} s`
    expect(JSON.parse(text)).toEqual({
      error: 'Too many requests',
      message: sentence,
      messages: [sentence],
      retry_after: Number(retryAfter),
    })
    expect(records().filter(({ level }) => level >= 40)).toMatchObject([{ network: '127.0.0.1' }])
    expect(lines().filter((line) => line.includes('wrong-'))).toEqual([])
  })

  test('a network that guesses keys is told apart by its forwarded address behind a proxy on this machine', async () => {
    const { url } = await kitServer([], { trustedProxies: ['loopback'] })
    const ask = async (key: string, client: string) => {
      const headers = { 'x-api-key': key, 'x-forwarded-for': client }
      return (await fetch(`${url}/api/v1/anything`, { headers })).status
    }
    const statuses = new Set<number>()
    for (const key of wrongKeys(25)) statuses.add(await ask(key, '198.51.100.1, 203.0.113.9'))
    expect([...statuses, await ask('wrong', '203.0.113.10')]).toEqual([401, 429, 401])
  })

  test('a network that guesses keys cannot choose its address with a forwarding header when there is no proxy', async () => {
    const { url } = await kitServer([])
    const statuses: number[] = []
    for (const [index, key] of wrongKeys(25).entries()) {
      const headers = { 'x-api-key': key, 'x-forwarded-for': `203.0.113.${index}` }
      statuses.push((await fetch(`${url}/api/v1/anything`, { headers })).status)
    }
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(5).fill(429)])
  })

  test('a network that guesses keys may disconnect before the answer, when its address is no longer known', async () => {
    const { url, records } = await kitServer([])
    for (const [index, path] of ['/api/%zz', '/api/v1/anything', '/api/%zz', '/api/v1/anything'].entries()) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      await new Promise((resolve) =>
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: wrong-${index}\r\n\r\n`, resolve),
      )
      socket.resetAndDestroy()
    }
    expect((await fetch(`${url}/api/v1/anything`, { headers: { 'x-api-key': testKey } })).status).toBe(404)
    expect(records().filter(({ level }) => level >= 40)).toEqual([])
  })

  test('a network that guesses keys does not lock out a right key, whatever the network sent before', async () => {
    const { judge, judgeAll } = checkWithClock('right', 'other')
    await judgeAll(wrongKeys(10_000))
    expect(await Promise.all([judge('right'), judge('other'), judge('wrong')])).toEqual(['right', 'right', 60])
  })

  test('a network that guesses keys is told how many seconds of the minute are left', async () => {
    const { judge, judgeAll, pass } = checkWithClock('right')
    await judgeAll(wrongKeys(20))
    pass(59.5)
    expect(await judge('wrong')).toBe(1)
    pass(0.5)
    expect(await judge('wrong')).toBe('wrong')
  })

  test('a network that guesses keys gets twenty more guesses when the minute is over', async () => {
    const { judgeAll, pass } = checkWithClock('right')
    await judgeAll(wrongKeys(20))
    pass(60)
    expect(await judgeAll(wrongKeys(21, 100))).toEqual([...wrongKeys(20).map(() => 'wrong'), 60])
  })

  test('a network that guesses keys does not count against callers of other networks', async () => {
    const { judge, judgeAll } = checkWithClock('right')
    await judgeAll(wrongKeys(30))
    expect(await Promise.all([judge('wrong', '192.0.2.2'), judge('wrong', '2001:db8::1')])).toEqual(['wrong', 'wrong'])
  })

  test('a network that guesses keys is an IPv6 /64: its many addresses count together', async () => {
    const { judge } = checkWithClock('right')
    const judged = await Promise.all(
      wrongKeys(21).map((key, index) => judge(key, `2001:db8:0:1::${index.toString(16)}`)),
    )
    expect(judged.at(-1)).toBe(60)
  })

  test('a network that guesses keys is evicted after a thousand other networks, so that memory is bounded', async () => {
    const { judge, judgeAll } = checkWithClock('right')
    await judgeAll(wrongKeys(20))
    for (let index = 0; index < 1000; index += 1) await judge('wrong', `10.0.${index >> 8}.${index & 255}`)
    expect(await judge('wrong')).toBe('wrong')
  })
})

test('keys of another realm are refused and do not count as guesses', async () => {
  const { judge, judgeAll } = checkWithClock('right')
  expect(await judgeAll(wrongKeys(30).map((key) => `other_${key}`))).toEqual(Array(30).fill('wrong'))
  expect(await judge('wrong')).toBe('wrong')
})

test.each([
  ['GET', {}, undefined],
  ['HEAD', {}, undefined],
  ['POST', {}, 'This key may only read'],
  ['GET', { isWrite: true }, 'This key may only read'],
  ['POST', { needsFullScope: true }, 'This key may only read'],
  ['GET', { needsFullScope: true }, 'Reading this needs a key with the scope full'],
] as const)('a key that may only read and sends %s to a route with %o is refused: %s', (method, config, refusal) => {
  // As much of a request as the check reads.
  const request = { method, is404: false, routeOptions: { config } } as unknown as FastifyRequest
  if (refusal === undefined) expect(refuseUnlessReading(request)).toBeUndefined()
  else expect(() => refuseUnlessReading(request)).toThrow(refusal)
})

test('callers without an address count as one network', async () => {
  const { judge } = checkWithClock('right')
  const judged = await Promise.all(wrongKeys(21).map((key) => judge(key, '')))
  expect(judged.at(-1)).toBe(60)
  expect(await keyCheck(apiKeys(['right']), { log: silentLog }).find('right', undefined)).toBeDefined()
})

test('repeating one wrong key, or sending none, does not count as guessing', async () => {
  const { judge } = checkWithClock('right')
  for (let round = 0; round < 500; round += 1) {
    expect(await Promise.all([judge('stale'), judge(undefined), judge(''), judge(['stale'])])).toEqual(
      Array(4).fill('wrong'),
    )
  }
  expect(await judge('wrong')).toBe('wrong')
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:0:192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:0DB8:0000:0001::5', '2001:db8:0:1::/64'],
  ['2001:db8::5', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
