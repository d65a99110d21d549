import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, expectProblem, startTestApp, type TestApp } from '../../support/app/app.ts'
import { cloneDatabase } from '../../support/database/database.ts'
import { openPool } from '../../support/database/pool.ts'
import { openTcpProxy, type TcpProxy } from '../../support/http/tcp-proxy.ts'
import { eventually } from '../../support/vitest/eventually.ts'

let app: TestApp
let proxy: TcpProxy
let pool: pg.Pool
const undo: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  const database = await cloneDatabase()
  undo.unshift(() => database.drop())
  const url = new URL(database.url)
  proxy = await openTcpProxy({ path: `${url.searchParams.get('host')}/.s.PGSQL.${url.port}` })
  undo.unshift(() => proxy.close())
  url.search = ''
  url.host = `127.0.0.1:${proxy.port}`
  pool = openPool(database.url, 1)
  undo.unshift(() => pool.end())
  const started = await startTestApp({ environment: { DATABASE_URL: url.href, ROLE: 'web' } })
  undo.unshift(started.stop)
  app = started.app
})

afterAll(async () => {
  for (const step of undo) await step()
})

function expectUnavailable(answer: Answer): void {
  const sentence = 'The database cannot be reached right now; try again shortly'
  expectProblem(answer, 503, 'Service unavailable', sentence)
  expect(Object.keys(answer.body)).toEqual(['error', 'message', 'messages', 'retry_after'])
  expect(answer.body.retry_after).toBeGreaterThan(0)
  expect(answer.headers.get('retry-after')).toBe(String(answer.body.retry_after))
}

async function expectRecovery(): Promise<void> {
  const { body } = await eventually(
    () => app.get('/categories'),
    ({ status }) => {
      expect([200, 503]).toContain(status)
      return status === 200
    },
  )
  expect(body).toHaveProperty('categories')
  expect((await app.post('/categories', { name: randomUUID() })).status).toBe(201)
}

/** Reads and writes from several callers at once while `disturb` runs; returns the statuses they got. */
async function statusesWhile(disturb: (seen: ReadonlySet<number>) => Promise<void>): Promise<Set<number>> {
  const seen = new Set<number>()
  let isOver = false
  const caller = async (): Promise<void> => {
    while (!isOver) {
      const { status: read } = await app.get('/sessions')
      const { status: written } = await app.post('/categories', { name: randomUUID() })
      seen.add(read).add(written)
    }
  }
  const callers = Promise.all(Array.from({ length: 6 }, caller))
  try {
    await disturb(seen)
  } finally {
    isOver = true
  }
  await callers
  return seen
}

describe('a database outage', () => {
  test.each(['cut', 'freeze'] as const)(
    'a database outage (%s) leaves the health report whole: the database is not connected, and its parts are unknown',
    async (how) => {
      proxy[how]()
      try {
        const { status, body } = await app.get('/health')
        expect(status).toBe(200)
        const { system_health, session_health, web_auth } = body.health_report
        expect(system_health).toEqual({
          status: { status: 'unknown', message: expect.any(String), code: 'section_failed' },
          database_status: {
            connected: false,
            pool_size: 20,
            connections_in_use: expect.any(Number),
            waiting: expect.any(Number),
            error: expect.any(String),
          },
        })
        expect(session_health.status).toMatchObject({ status: 'unknown', code: 'section_failed' })
        expect(web_auth.status.status).toBe('healthy')
      } finally {
        proxy.mend()
      }
      await expectRecovery()
    },
  )

  test('a database outage answers 503 with Retry-After to reads and writes, and recovers without a restart', async () => {
    expect((await app.get('/categories')).status).toBe(200)
    proxy.cut()
    try {
      for (let round = 0; round < 3; round += 1) {
        expectUnavailable(await app.get('/categories'))
        expectUnavailable(await app.get('/sessions/1'))
        expectUnavailable(await app.get('/sessions/some-slug/transcript'))
        expectUnavailable(await app.post('/categories', { name: 'Lost' }))
        expectUnavailable(await app.post('/sessions', { git_root: '/tmp/none' }))
        expectUnavailable(await app.delete('/categories/1'))
      }
    } finally {
      proxy.mend()
    }
    await expectRecovery()
  })

  test('a database outage does not affect requests that need no database', async () => {
    proxy.cut()
    try {
      expect((await app.send('/up')).status).toBe(200)
      expect((await app.send('/docs')).status).toBe(200)
      expect((await app.get('/openapi.json')).status).toBe(200)
      expect((await app.send('/api/v1/categories')).status).toBe(401)
      expectProblem(await app.get('/nothing'), 404, 'Not Found')
      expectProblem(await app.post('/categories', {}), 422, 'Validation failed')
      const deep = await app.send('/up/deep')
      expect([deep.status, await deep.json()]).toMatchObject([503, { failed: ['database'] }])
    } finally {
      proxy.mend()
    }
    await expectRecovery()
    expect((await app.send('/up/deep')).status).toBe(200)
  })

  test('a database outage never answers 500 to requests that are running when it begins', async () => {
    const seen = await statusesWhile(async (answered) => {
      for (let round = 0; round < 3; round += 1) {
        await wait(100)
        proxy.cut()
        await wait(100)
        // A busy machine may answer nothing within that time.
        await eventually(async () => answered.has(503), Boolean)
        proxy.mend()
      }
    })
    expect([...seen].filter((status) => ![200, 201, 503].includes(status))).toEqual([])
    await expectRecovery()
  })

  test('a database outage never answers 500 when PostgreSQL terminates single connections', async () => {
    const seen = await statusesWhile(async () => {
      for (let round = 0; round < 6; round += 1) {
        await wait(30)
        await pool.query(
          `select pg_terminate_backend(pid)
           from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        )
      }
    })
    expect([...seen].filter((status) => ![200, 201, 503].includes(status))).toEqual([])
    await expectRecovery()
  })

  test('a database outage answers 503 when PostgreSQL accepts connections and does not respond', async () => {
    proxy.cut()
    expectUnavailable(await app.get('/categories'))
    proxy.freeze()
    try {
      expectUnavailable(await app.get('/categories'))
    } finally {
      proxy.mend()
    }
    await expectRecovery()
  })

  test('a database outage answers 503 when the port is closed', async () => {
    await proxy.close()
    expectUnavailable(await app.get('/categories'))
    expect((await app.send('/up')).status).toBe(200)
  })
})
