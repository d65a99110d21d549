import { createServer } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { isPublicAddress, problemWithAddress } from '../../../src/platform/public-address.ts'
import { openPush } from '../../../src/platform/push/push.ts'
import { findVapidKeys } from '../../../src/platform/push/vapid-keys.ts'
import { readVapid, startPushService } from '../../support/remote/push-service.ts'

const service = await startPushService()
afterAll(() => service.close())
const privateKey = Buffer.alloc(32, 7).toString('base64url')
const keys = await findVapidKeys(privateKey, { in: (name) => `/nowhere/${name}` })
const about = { keys, subject: 'mailto:ops@yard.test', timeoutMs: 60_000 }
const push = openPush({ ...about, allowedOrigins: [service.origin] })
const strict = openPush({ ...about, allowedOrigins: [] })
const topic = { topic: 'notification-1' }

describe('a push', () => {
  test('arrives encrypted for the browser, signed with our key, and under its topic', async () => {
    const browser = service.browser()
    expect(await push.send(browser.subscription, { body: 'Session 7 needs your input' }, topic)).toBe('sent')
    expect(browser.pushes()).toEqual([{ body: 'Session 7 needs your input' }])
    const request = service.requests.at(-1)
    if (!request) throw new Error('nothing arrived')
    expect(request.body.includes('Session 7')).toBe(false)
    expect(request.headers).toMatchObject({ topic: 'notification-1', 'content-encoding': 'aes128gcm', ttl: '86400' })
    expect(readVapid(request)).toMatchObject({
      key: keys.publicKey,
      isSigned: true,
      claims: { aud: service.origin, sub: 'mailto:ops@yard.test' },
    })
  })

  test.each([404, 410])('to a browser that its service answers with %i is reported as gone', async (status) => {
    service.next(status)
    expect(await push.send(service.browser().subscription, {}, topic)).toBe('gone')
  })

  test.each([
    [429, 'throttled'],
    [500, 'unreachable'],
    [503, 'unreachable'],
    [400, 'refused'],
    [401, 'refused'],
    [413, 'refused'],
    ['cut', 'unreachable'],
  ] as const)('that its service answers with %s fails as %s', async (answer, kind) => {
    service.next(answer)
    await expect(push.send(service.browser().subscription, {}, topic)).rejects.toMatchObject({ kind })
  })

  test.each([
    [{ status: 429, retryAfter: '30' }, 30],
    [{ status: 503, retryAfter: '30' }, 30],
    [{ status: 503, retryAfter: 'soon' }, undefined],
    [{ status: 403, retryAfter: '30' }, undefined],
  ])('that its service answers with %j has to wait for %s seconds', async (answer, retryAfterSeconds) => {
    service.next(answer)
    await expect(push.send(service.browser().subscription, {}, topic)).rejects.toMatchObject({ retryAfterSeconds })
  })

  test('that its service answers with a time has to wait until then', async () => {
    const until = Date.now() + 3_600_000
    service.next({ status: 503, retryAfter: new Date(until).toUTCString() })
    const failure = await push.send(service.browser().subscription, {}, topic).catch((error: unknown) => error)
    const { retryAfterSeconds } = failure as { retryAfterSeconds: number }
    // A header has whole seconds, and the rest of the hour shrinks while the request takes place.
    expect(retryAfterSeconds).toBeLessThanOrEqual(3600)
    expect(retryAfterSeconds).toBeGreaterThan((until - Date.now()) / 1000 - 1)
  })

  test('that its service does not answer in time fails as hung', async () => {
    const hurried = openPush({ ...about, timeoutMs: 300, allowedOrigins: [service.origin] })
    service.next('hang')
    await expect(hurried.send(service.browser().subscription, {}, topic)).rejects.toMatchObject({ kind: 'hung' })
  })

  test('follows no redirect', async () => {
    service.next('redirect')
    await expect(push.send(service.browser().subscription, {}, topic)).rejects.toMatchObject({ kind: 'refused' })
    expect(service.requests.map(({ path }) => path)).not.toContain('/elsewhere')
  })

  test('does not read an answer without end', async () => {
    service.next('endless')
    expect(await push.send(service.browser().subscription, {}, topic)).toBe('sent')
  })

  test('to a service that does not listen fails as unreachable', async () => {
    const origin = 'http://127.0.0.1:9'
    const unserved = openPush({ ...about, allowedOrigins: [origin] })
    const { subscription } = service.browser()
    await expect(unserved.send({ ...subscription, endpoint: `${origin}/x` }, {}, topic)).rejects.toMatchObject({
      kind: 'unreachable',
    })
  })
})

describe('the address of a push', () => {
  test.each([
    'http://push.example/x',
    'ftp://push.example/x',
    'https://user:secret@push.example/x',
    'https://127.0.0.1/x',
    'https://0x7f000001/x',
    'https://2130706433/x',
    'https://0177.0.0.1/x',
    'https://127.1/x',
    'https://10.0.0.1/x',
    'https://172.31.255.255/x',
    'https://192.168.1.1/x',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/x',
    'https://0.0.0.0/x',
    'https://255.255.255.255/x',
    'https://[::1]/x',
    'https://[::]/x',
    'https://[fe80::1]/x',
    'https://[fd00::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[::ffff:7f00:1]/x',
    'https://[64:ff9b::7f00:1]/x',
    'https://[2002:7f00:1::]/x',
    'https://[2001:db8::1]/x',
    'not an address',
  ])('%s is refused', (address) => {
    expect(problemWithAddress(address)).toEqual(expect.any(String))
  })

  test.each(['https://push.example/x', 'https://8.8.8.8/x', 'https://[2606:4700::1111]/x'])(
    '%s is accepted',
    (address) => {
      expect(problemWithAddress(address)).toBeUndefined()
    },
  )

  test('is public only outside of reserved networks, at their edges too', () => {
    expect(['172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0'].every(isPublicAddress)).toBe(true)
    expect(['172.16.0.0', '100.127.255.255', '224.0.0.1', '', 'push.example'].some(isPublicAddress)).toBe(false)
  })

  test('that only its name hides is looked up, and nothing is connected to', async () => {
    let connections = 0
    const server = createServer(() => {
      connections += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number } // a TCP server has one
    const { subscription } = service.browser()
    for (const host of ['localhost', 'LOCALHOST', 'localhost.'])
      await expect(
        strict.send({ ...subscription, endpoint: `https://${host}:${port}/x` }, {}, topic),
      ).rejects.toMatchObject({ name: 'RemoteFailed' })
    await expect(strict.send(subscription, {}, topic)).rejects.toMatchObject({ kind: 'refused' })
    expect(connections).toBe(0)
    server.close()
  })
})
