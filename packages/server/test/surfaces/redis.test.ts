import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sampleRepository, startTestApp, type TestApp } from '../support/app/app.ts'
import { openReader } from '../support/events/event-reader.ts'
import { type RedisServer, redisProgram, startRedisServer } from '../support/processes/redis-server.ts'
import { atRest, startDemo, textOf } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

let repository = ''

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-redis-sessions-'))
  repository = await sampleRepository(folder)
  return () => rm(folder, { recursive: true, force: true })
})

describe.skipIf(redisProgram === undefined)('a server with REDIS_URL', () => {
  test('a server with REDIS_URL runs sessions and streams events while Redis is up', async () => {
    const { app } = await withRedis()

    await expectSession(app)
  })

  test('a server with REDIS_URL runs sessions and streams events when Redis is down at start', async () => {
    const redis = await startRedisServer()
    await redis.stop()
    const { app } = await withRedis(redis)

    await expectSession(app)
  })

  test('a server with REDIS_URL runs sessions and streams events when Redis goes down and comes back', async () => {
    const { app, redis } = await withRedis()
    const reader = await openReader(app.url)
    const session = await startDemo(app, { git_root: repository, lines: ['say before', 'sleep 1', 'say after'] })
    await reader.find(({ data }) => data.session_id === session.id && data.to === 'running')

    await redis.stop()
    expect((await atRest(app, session.id)).status).toBe('needs_input')
    await reader.find(({ data }) => data.session_id === session.id && data.to === 'needs_input')
    await expectSession(app)

    await redis.start()
    await eventually(
      async () => (await app.send('/up/deep')).status,
      (status) => status === 200,
    )
    await expectSession(app)
  })

  test('a server with REDIS_URL closes its Redis connections on shutdown, also without a cache', async () => {
    const redis = await startRedisServer()
    const { app, stop } = await startTestApp({ environment: { REDIS_URL: redis.url, CACHE: 'none' } })
    await expectSession(app)
    const connections = clientCount(redis)
    expect(await connections()).toBeGreaterThan(0)

    await stop()

    await eventually(connections, (count) => count === 0)
  })
})

async function withRedis(given?: RedisServer): Promise<{ app: TestApp; redis: RedisServer }> {
  const redis = given ?? (await startRedisServer())
  const { app, stop } = await startTestApp({ environment: { REDIS_URL: redis.url } })
  onTestFinished(stop)
  return { app, redis }
}

/** Runs a session until it needs input and checks that a client receives the events. */
async function expectSession(app: TestApp): Promise<void> {
  const reader = await openReader(app.url)
  const session = await startDemo(app, { git_root: repository, lines: ['say hello'] })

  expect((await atRest(app, session.id)).status).toBe('needs_input')
  expect(await textOf(app, session.id)).toContain('hello')
  await reader.find(({ data }) => data.session_id === session.id && data.to === 'needs_input')
  reader.close()
}

/** The number of connections to this Redis, without the one that counts. */
function clientCount({ url }: RedisServer): () => Promise<number> {
  const own = new Redis(url.replace('unix://', ''))
  onTestFinished(() => own.disconnect())
  return async () =>
    String(await own.client('LIST'))
      .trim()
      .split('\n').length - 1
}
