import { describe, expect, onTestFinished, test } from 'vitest'
import { openRedis } from '../../../src/platform/cache/redis-cache.ts'
import { openPostgresSignals } from '../../../src/platform/events/postgres-signals.ts'
import { openRedisSignals } from '../../../src/platform/events/redis-signals.ts'
import type { Signals } from '../../../src/platform/events/signals.ts'
import { testDatabase } from '../../support/database/database.ts'
import { proxiedDatabase } from '../../support/database/proxied-database.ts'
import { follow, openEventHost, publishWord } from '../../support/events/event-host.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'
import { silentLog } from '../../support/log/silent-log.ts'
import { redisProgram, startRedisServer } from '../../support/processes/redis-server.ts'
import { eventually } from '../../support/vitest/eventually.ts'

describe('over PostgreSQL', () => {
  test('a signal wakes the listeners of its topic on every host, the sender included', async () => {
    const { url } = await testDatabase()
    await expectAnnouncements(await Promise.all([postgresSignals(url), postgresSignals(url)]))
  })

  test('a listener whose connection ended reconnects, wakes all listeners, and receives new signals', async () => {
    const { url, pool } = await testDatabase()
    const signals = await postgresSignals(url)
    const trains = count(signals, 'trains')
    const ships = count(signals, 'ships')

    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'yardmaster signals' and datname = current_database()`,
    )

    // Signals during the outage were lost, so every listener is woken.
    await eventually(
      async () => [trains.heard(), ships.heard()],
      (counts) => counts.every((heard) => heard === 1),
    )
    await signals.announce('trains')
    await eventually(
      async () => trains.heard(),
      (heard) => heard === 2,
    )
    expect(ships.heard()).toBe(1)
  })

  test('a listener reconnects after a database outage', async () => {
    const { url } = await testDatabase()
    const line = await proxiedDatabase(url)
    const signals = await postgresSignals(line.url)
    const trains = count(signals, 'trains')

    line.proxy.cut()
    await eventually(
      () =>
        signals.announce('trains').then(
          () => false,
          () => true,
        ),
      (hasFailed) => hasFailed,
    )
    line.proxy.mend()

    await eventually(
      async () => trains.heard(),
      (heard) => heard === 1,
    )
  })

  test('close ends the connection, even during a reconnect', async () => {
    const { url, pool } = await testDatabase()
    const line = await proxiedDatabase(url)
    const signals = await postgresSignals(line.url)
    line.proxy.cut()
    line.proxy.freeze()

    await signals.close()
    line.proxy.mend()

    await eventually(
      async () =>
        (
          await pool.query(
            `select 1 from pg_stat_activity where application_name = 'yardmaster signals' and datname = current_database()`,
          )
        ).rowCount,
      (open) => open === 0,
    )
  })
})

describe.skipIf(redisProgram === undefined)('over Redis', () => {
  test('a signal wakes the listeners of its topic on every host, the sender included', async () => {
    const redis = await startRedisServer()
    await expectAnnouncements(await Promise.all([redisSignals(redis.url), redisSignals(redis.url)]))
  })

  test('during a Redis outage a host receives its own signals; afterwards all listeners are woken and receive those of others', async () => {
    const redis = await startRedisServer()
    const [here, there] = await Promise.all([redisSignals(redis.url), redisSignals(redis.url)])
    const heardHere = count(here, 'trains')
    const heardThere = count(there, 'trains')
    await eventually(
      async () => {
        await here.announce('trains')
        return heardThere.heard()
      },
      (heard) => heard > 0,
    )

    await redis.stop()
    const before = heardHere.heard()
    await eventually(
      async () => {
        await here.announce('trains')
        return heardHere.heard()
      },
      (heard) => heard > before,
    )

    const beforeItsReturn = heardThere.heard()
    await redis.start()
    await eventually(
      async () => heardThere.heard(),
      (heard) => heard > beforeItsReturn,
    )
    const afterItsReturn = heardThere.heard()
    await eventually(
      async () => {
        await here.announce('trains')
        return heardThere.heard()
      },
      (heard) => heard > afterItsReturn,
    )
  })

  test('a host that starts before Redis receives signals of others once Redis is up', async () => {
    const redis = await startRedisServer()
    await redis.stop()
    const [here, there] = await Promise.all([redisSignals(redis.url), redisSignals(redis.url)])
    const heardThere = count(there, 'trains')

    await redis.start()

    await eventually(
      async () => heardThere.heard(),
      (heard) => heard > 0,
    )
    const before = heardThere.heard()
    await eventually(
      async () => {
        await here.announce('trains')
        return heardThere.heard()
      },
      (heard) => heard > before,
    )
  })

  test('a Redis that accepts the connection and never answers does not block our own signals', async () => {
    const redis = await startRedisServer()
    const signals = await redisSignals(redis.url)
    const trains = count(signals, 'trains')
    await eventually(
      async () => {
        await signals.announce('trains')
        return trains.heard()
      },
      (heard) => heard > 0,
    )
    const before = trains.heard()

    redis.freeze()
    await signals.announce('trains')

    expect(trains.heard()).toBeGreaterThan(before)
    redis.thaw()
  })

  test('two hosts receive all events, and during a Redis outage each receives its own', async () => {
    const redis = await startRedisServer()
    const { url } = await testDatabase()
    const here = await openEventHost(url, () => redisSignals(redis.url))
    const there = await openEventHost(url, () => redisSignals(redis.url))
    const followedHere = follow(here.events)
    const followedThere = follow(there.events)
    await publishWord(here, 'one')
    await eventually(
      async () => followedThere.words(),
      (words) => words.includes('one'),
    )

    await redis.stop()
    await publishWord(here, 'two')

    await eventually(
      async () => followedHere.words(),
      (words) => words.length === 2,
    )
    // The other host finds it at its next tick.
    await eventually(
      async () => followedThere.words(),
      (words) => words.length === 2,
    )
    expect(followedHere.words()).toEqual(['one', 'two'])
    expect(followedThere.words()).toEqual(['one', 'two'])
  })
})

/** The contract of both transports. */
async function expectAnnouncements([here, there]: readonly Signals[]): Promise<void> {
  if (!here || !there) throw new Error('two hosts are needed')
  const heardHere = count(here, 'trains')
  const heardThere = count(there, 'trains')
  const stopped = count(there, 'trains')
  stopped.stop()
  // A host may still be subscribing; it wakes its listeners once when it has.
  await eventually(
    async () => {
      await here.announce('trains')
      return Math.min(heardHere.heard(), heardThere.heard())
    },
    (heard) => heard > 0,
  )
  const ships = count(there, 'ships')
  const before = heardThere.heard()

  await there.announce('trains')

  await eventually(
    async () => heardThere.heard(),
    (heard) => heard > before,
  )
  expect(ships.heard()).toBe(0)
  expect(stopped.heard()).toBe(0)
}

async function postgresSignals(url: string): Promise<Signals> {
  const { pool } = openTestDatabase(url, 2)
  const signals = await openPostgresSignals({ connection: { connectionString: url }, pool, log: silentLog })
  onTestFinished(() => signals.close())
  return signals
}

async function redisSignals(url: string): Promise<Signals> {
  const signals = await openRedisSignals({ redis: openRedis(url, silentLog), log: silentLog })
  onTestFinished(() => signals.close())
  return signals
}

function count(signals: Signals, topic: string): { heard(): number; stop(): void } {
  let heard = 0
  const stop = signals.listen(topic, () => {
    heard += 1
  })
  return { heard: () => heard, stop }
}
