import { execFileSync, spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fastify } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { App } from '../../src/domain/app.ts'
import type { Cache } from '../../src/platform/cache/cache.ts'
import { memoryCache } from '../../src/platform/cache/memory-cache.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { registerProbes } from '../../src/surfaces/probes.ts'
import { startTestApp, type TestApp, testApp } from '../support/app/app.ts'
import { testDatabase } from '../support/database/database.ts'
import { proxiedDatabase } from '../support/database/proxied-database.ts'
import { openTestDatabase } from '../support/jobs/job-host.ts'
import { redisProgram, startRedisServer } from '../support/processes/redis-server.ts'
import { eventually } from '../support/vitest/eventually.ts'

const allWell = {
  database: { status: 'ok', adapter: 'PostgreSQL' },
  cache: { status: 'ok', store: 'in-process' },
  redis: { status: 'ok', store: 'in-process' },
  files: { status: 'ok' },
}

describe('GET /up and GET /up/deep', () => {
  const app = testApp()

  test('GET /up answers 200 without a key', async () => {
    const response = await app.send('/up')

    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ok' })
  })

  test('GET /up/deep answers 200 when database, cache and store respond', async () => {
    const { response, body } = await deepProbe(app)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(body).toEqual({
      status: 'ok',
      failed: [],
      checks: allWell,
      checked_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
  })

  test('GET /up and GET /up/deep answer many concurrent probes', async () => {
    // A busy machine may need more than the two seconds of a check, which is then answered 503.
    await eventually(
      async () => {
        const answers = await Promise.all(Array.from({ length: 200 }, () => app.send('/up/deep')))
        return answers.filter(({ status }) => status === 200).length
      },
      (count) => count === 200,
    )
  })

  test('GET /up/deep answers 503 when the sessions table is missing although the database responds', async () => {
    await app.pool.query('alter table sessions rename to hidden')
    onTestFinished(async () => void (await app.pool.query('alter table hidden rename to sessions')))

    const { response, body } = await deepProbe(app, 'database')
    expect(response.status).toBe(503)
    expect(body).toMatchObject({
      status: 'error',
      failed: ['database'],
      checks: { database: { status: 'error', error: expect.stringContaining('"sessions" does not exist') } },
    })
  })
})

test('an unreachable database fails only the deep probe, which recovers with the database', async () => {
  const { url } = await testDatabase()
  const line = await proxiedDatabase(url)
  const { app, stop } = await startTestApp({ environment: { DATABASE_URL: line.url } })
  onTestFinished(stop)
  await deepProbe(app)
  line.proxy.cut()
  const { response, body, text } = await deepProbe(app, 'database')
  expect(response.status).toBe(503)
  expect(body).toMatchObject({
    status: 'error',
    failed: ['database'],
    checks: { ...allWell, database: { status: 'error', adapter: 'PostgreSQL', error: expect.any(String) } },
  })
  expect(text).not.toContain(new URL(line.url).password)
  expect((await app.send('/up')).status).toBe(200)

  line.proxy.mend()
  await eventually(
    async () => (await app.send('/up/deep')).status,
    (status) => status === 200,
  )
})

test('the deep probe reports CACHE=none as an unusable cache', async () => {
  const { app, stop } = await startTestApp({ environment: { CACHE: 'none' } })
  onTestFinished(stop)

  const { response, body } = await deepProbe(app, 'cache')
  expect(response.status).toBe(503)
  expect(body).toMatchObject({
    failed: ['cache'],
    checks: { cache: { status: 'error', store: 'none', error: expect.stringContaining('CACHE=none') } },
  })
})

describe.skipIf(redisProgram === undefined)('with Redis', () => {
  test('an unreachable Redis fails only the deep probe, hides its password, and recovers', async () => {
    const password = 'p@ss:w/ord'
    const redis = await startRedisServer({ over: 'tcp', password })
    const { app, stop } = await startTestApp({ environment: { REDIS_URL: redis.url } })
    onTestFinished(stop)
    const well = await eventually(
      () => app.send('/up/deep'),
      ({ status }) => status === 200,
    )
    expect(await well.json()).toMatchObject({
      failed: [],
      checks: { cache: { status: 'ok', store: 'redis' }, redis: { status: 'ok', store: 'redis' } },
    })

    await redis.stop()
    const { body, text } = await deepProbe(app, 'cache', 'redis')
    expect(body).toMatchObject({
      failed: ['cache', 'redis'],
      checks: { database: { status: 'ok' }, redis: { status: 'error', error: expect.any(String) } },
    })
    expect(text).not.toContain(password)
    expect(text).not.toContain(encodeURIComponent(password))
    expect((await app.send('/up')).status).toBe(200)

    await redis.start()
    await eventually(
      async () => (await app.send('/up/deep')).status,
      (status) => status === 200,
    )
  })

  test('a host starts without Redis and the deep probe reports it', async () => {
    const redis = await startRedisServer()
    await redis.stop()
    const { app, stop } = await startTestApp({ environment: { REDIS_URL: redis.url } })
    onTestFinished(stop)

    expect((await deepProbe(app, 'cache', 'redis')).response.status).toBe(503)
  })
})

test('file operations that stall fail the deep probe, which recovers when they end', async () => {
  const { app, stop } = await startTestApp()
  onTestFinished(stop)
  const pipe = join(app.home, 'pipe')
  execFileSync('mkfifo', [pipe])
  // Opening a pipe waits for a writer and holds a thread meanwhile. There are four, or as many as the variable says.
  const count = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
  const opened = Array.from({ length: count }, () => open(pipe))

  const { response, body } = await deepProbe(app, 'files')
  expect(response.status).toBe(503)
  expect(body).toMatchObject({
    failed: ['files'],
    checks: { ...allWell, files: { status: 'error', error: 'no answer within 2 s' } },
  })
  expect((await app.send('/up')).status).toBe(200)

  const writer = spawn('sh', ['-c', 'exec 3<>"$0"; read -r _', pipe], { stdio: ['pipe', 'ignore', 'ignore'] })
  for (const file of await Promise.all(opened)) await file.close()
  writer.stdin.end()
  await eventually(
    async () => (await app.send('/up/deep')).status,
    (status) => status === 200,
  )
})

describe('hanging checks', () => {
  test('run concurrently and time out after two seconds', async () => {
    const { url } = await testDatabase()
    const line = await proxiedDatabase(url)
    line.proxy.freeze()
    const asked: string[] = []
    const hanging = (name: string) => () => {
      asked.push(name)
      return new Promise<never>(() => undefined)
    }
    const cache: Cache = { ...memoryCache({ clock: systemClock }), set: hanging('cache'), ping: hanging('redis') }
    const server = probing({ cache, url: line.url })

    const answer = server.inject('/up/deep')
    await eventually(
      async () => asked.toSorted(),
      (names) => names.length === 2,
    )
    const response = await answer

    expect(response.statusCode).toBe(503)
    const { failed, checks } = response.json()
    expect(failed).toEqual(['database', 'cache', 'redis'])
    for (const name of failed) expect(checks[name]).toMatchObject({ error: 'no answer within 2 s' })
  })

  test('hanging checks are shared by concurrent probes, so that many probes do not take many connections', async () => {
    let begun = 0
    let finish: () => void = () => undefined
    const ping = () => {
      begun += 1
      return new Promise<void>((resolve) => {
        finish = resolve
      })
    }
    const { url } = await testDatabase()
    const server = probing({ cache: { ...memoryCache({ clock: systemClock }), ping }, url, timeoutMs: 60_000 })

    const answers = Array.from({ length: 20 }, () => server.inject('/up/deep'))
    await eventually(
      async () => begun,
      (count) => count > 0,
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(begun).toBe(1)
    finish()

    expect(new Set((await Promise.all(answers)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const next = server.inject('/up/deep')
    await eventually(
      async () => begun,
      (count) => count === 2,
    )
    finish()
    expect((await next).statusCode).toBe(200)
  })
})

describe('error text of a check', () => {
  test.each([
    ['redis://user:secret@cache:6379 refused', 'redis://[redacted]@cache:6379 refused'],
    ['redis://:sec@ret@cache:6379 refused', 'redis://[redacted]@cache:6379 refused'],
    ['from postgres://a:secret@b/c to rediss://d:secret@e', 'from postgres://[redacted]@b to rediss://[redacted]@e'],
    ['connect ENOENT /home/My Name/yard/.s.PGSQL.5432', 'connect ENOENT [path]'],
    ['could not extend file "base/16384/2619": No space left on device', 'could not extend file "[path]'],
    ['no socket at unix:///run/redis.sock now', 'no socket at unix:// now'],
    ["EACCES: permission denied, open '/var/lib/yard/x'", "EACCES: permission denied, open '[path]"],
    ['no credentials at redis://cache:6379', 'no credentials at redis://cache:6379'],
  ])('the error %j is reported as %j', async (sentence, reported) => {
    expect(await probeError(new Error(sentence))).toBe(reported)
  })

  test('error text of a check is at most 200 characters long', async () => {
    expect(await probeError(new Error('x'.repeat(1000)))).toHaveLength(200)
  })

  test('error text of a check lists the error of every address of a name', async () => {
    const error = new AggregateError([
      new Error('connect ECONNREFUSED ::1:6379'),
      new Error('connect ECONNREFUSED 127.0.0.1:6379'),
    ])

    expect(await probeError(error)).toBe('connect ECONNREFUSED ::1:6379, connect ECONNREFUSED 127.0.0.1:6379')
  })

  test('error text of a check is not empty, whatever was thrown', async () => {
    expect(await probeError(new TypeError())).toBe('TypeError')
    expect(await probeError('words')).toBe('words')
  })
})

/** The answer in which exactly these checks fail. On a busy machine another one may need more than its two seconds. */
async function deepProbe(app: Pick<TestApp, 'send'>, ...failed: string[]) {
  return eventually(
    async () => {
      const response = await app.send('/up/deep')
      const text = await response.text()
      return { response, text, body: JSON.parse(text) }
    },
    ({ body }) => isDeepStrictEqual(body.failed, failed),
  )
}

async function probeError(error: unknown): Promise<string> {
  const { url } = await testDatabase()
  const cache: Cache = { ...memoryCache({ clock: systemClock }), ping: () => Promise.reject(error) }
  const response = await probing({ cache, url }).inject('/up/deep')
  expect(response.statusCode).toBe(503)
  return response.json().checks.redis.error
}

/** A server with only the probes, over fake dependencies. */
function probing({ cache, url, timeoutMs }: { cache: Cache; url: string; timeoutMs?: number }) {
  const server = fastify()
  onTestFinished(() => server.close())
  // The probes use nothing else of the app.
  const home = { path: tmpdir() }
  const app = { control: openTestDatabase(url).db, cache, home, clock: systemClock } as unknown as App
  registerProbes(server, app, timeoutMs)
  return server
}
