import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { apiKeys } from '../../../src/platform/http/api-keys.ts'
import { keyCheck, networkOf } from '../../../src/platform/http/key-check.ts'
import { Refusal } from '../../../src/platform/refusal.ts'
import { testKey } from '../../support/app/app.ts'
import { kitServer } from '../../support/http/kit-server.ts'
import { silentLog } from '../../support/log/silent-log.ts'

const wrongKeys = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `wrong-${from + index}`)

/** A check with a manual clock, and its verdict on a key: right, wrong, or the seconds to wait. */
function deskOf(...keys: string[]) {
  let ms = 5000
  const check = keyCheck(apiKeys(keys), {
    log: silentLog,
    isOfOtherKind: (key) => key.startsWith('other_'),
    now: () => ms,
  })
  const judge = (key: unknown, address = '192.0.2.1') => {
    try {
      return check.accepts(key, address) ? 'right' : 'wrong'
    } catch (error) {
      if (error instanceof Refusal) return error.beside.retry_after
      throw error
    }
  }
  return {
    judge,
    judgeAll: (tried: readonly string[], address?: string) => tried.map((key) => judge(key, address)),
    pass: (seconds: number) => {
      ms += seconds * 1000
    },
  }
}

describe('a network that guesses keys', () => {
  test('gets a verdict on twenty wrong keys a minute and on none of ten thousand more', () => {
    const judged = deskOf('right').judgeAll(wrongKeys(10_020))
    expect(judged).toEqual([...Array(20).fill('wrong'), ...Array(10_000).fill(60)])
  })

  test('is answered 429 with Retry-After, and one log record that contains no key', async () => {
    const { url, records, lines } = await kitServer([])
    const answers: { status: number; retryAfter: string | null; text: string }[] = []
    for (const key of wrongKeys(60)) {
      const answer = await fetch(`${url}/api/v1/anything`, { headers: { 'x-api-key': key } })
      answers.push({ status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() })
    }

    expect(answers.slice(0, 20).every(({ status }) => status === 401)).toBe(true)
    expect(answers.slice(20).every(({ status }) => status === 429)).toBe(true)
    const { retryAfter, text } = answers.at(-1) ?? { text: '' }
    const sentence = `Too many wrong API keys from this address; try again in ${retryAfter} s`
    expect(JSON.parse(text)).toEqual({
      error: 'Too many requests',
      message: sentence,
      messages: [sentence],
      retry_after: Number(retryAfter),
    })
    expect(records().filter(({ level }) => level >= 40)).toMatchObject([{ network: '127.0.0.1' }])
    expect(lines().filter((line) => line.includes('wrong-'))).toEqual([])
  })

  /** Twenty-five wrong keys and a right one, each forwarded for the given client. */
  async function guessFor(isProxied: boolean, { wrong, right }: { wrong: string; right: string }) {
    const { url } = await kitServer([], { isProxied })
    const ask = async (key: string, client: string) => {
      const headers = { 'x-api-key': key, 'x-forwarded-for': client }
      return (await fetch(`${url}/api/v1/anything`, { headers })).status
    }
    const statuses = new Set<number>()
    for (const key of wrongKeys(25)) statuses.add(await ask(key, wrong))
    return { wrong: [...statuses], right: await ask(testKey, right) }
  }

  test('is told apart by its forwarded address behind a proxy on this machine', async () => {
    const found = await guessFor(true, { wrong: '198.51.100.1, 203.0.113.9', right: '203.0.113.10' })
    expect(found).toEqual({ wrong: [401, 429], right: 404 })
  })

  test('cannot choose its address with a forwarding header when there is no proxy', async () => {
    expect(await guessFor(false, { wrong: '203.0.113.9', right: '203.0.113.10' })).toEqual({
      wrong: [401, 429],
      right: 429,
    })
  })

  test('may disconnect before the answer, when its address is no longer known', async () => {
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

  test('does not learn that a key is right until the minute is over', () => {
    const { judge, judgeAll, pass } = deskOf('right')
    judgeAll(wrongKeys(20))
    expect(judge('right')).toBe(60)
    pass(59.5)
    expect(judge('right')).toBe(1)
    pass(0.5)
    expect(judge('right')).toBe('right')
  })

  test('gets twenty more guesses when the minute is over', () => {
    const { judgeAll, pass } = deskOf('right')
    judgeAll(wrongKeys(20))
    pass(60)
    expect(judgeAll(wrongKeys(21, 100))).toEqual([...wrongKeys(20).map(() => 'wrong'), 60])
  })

  test('does not lock out a key that was accepted on that network before', () => {
    const { judge, judgeAll } = deskOf('right', 'other')
    judge('right')
    judgeAll(wrongKeys(30))
    expect([judge('right'), judge('other')]).toEqual(['right', 60])
  })

  test('does not lock out callers of other networks', () => {
    const { judge, judgeAll } = deskOf('right')
    judge('right', '192.0.2.7')
    judgeAll(wrongKeys(30))
    expect([judge('right', '192.0.2.2'), judge('wrong', '2001:db8::1')]).toEqual(['right', 'wrong'])
    judgeAll(wrongKeys(30), '192.0.2.7')
    expect(judge('right', '192.0.2.7')).toBe('right')
  })

  test('is an IPv6 /64: its many addresses count together', () => {
    const { judge } = deskOf('right')
    const judged = wrongKeys(21).map((key, index) => judge(key, `2001:db8:0:1::${index.toString(16)}`))
    expect(judged.at(-1)).toBe(60)
  })

  test('is evicted after a thousand other networks, so that memory is bounded', () => {
    const { judge, judgeAll } = deskOf('right')
    judgeAll(wrongKeys(20))
    for (let index = 0; index < 1000; index += 1) judge('wrong', `10.0.${index >> 8}.${index & 255}`)
    expect(judge('right')).toBe('right')
  })
})

test('keys of another realm are refused and do not count as guesses', () => {
  const { judge, judgeAll } = deskOf('right')
  expect(judgeAll(wrongKeys(30).map((key) => `other_${key}`))).toEqual(Array(30).fill('wrong'))
  expect(judge('right')).toBe('right')
})

test('callers without an address count as one network', () => {
  const { judge } = deskOf('right')
  const judged = wrongKeys(21).map((key) => judge(key, ''))
  expect(judged.at(-1)).toBe(60)
  expect(keyCheck(apiKeys(['right']), { log: silentLog }).accepts('right', undefined)).toBe(true)
})

test('repeating one wrong key, or sending none, does not count as guessing', () => {
  const { judge } = deskOf('right')
  for (let round = 0; round < 500; round += 1) {
    expect([judge('stale'), judge(undefined), judge(''), judge(['stale'])]).toEqual(Array(4).fill('wrong'))
  }
  expect(judge('right')).toBe('right')
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
