import { describe, expect, test } from 'vitest'
import type { RunResult } from '../../../src/platform/jobs/periodic.ts'
import { listPeriodicRuns } from '../../../src/platform/jobs/run-store.ts'
import { testDatabase } from '../../support/database/database.ts'
import { proxiedDatabase } from '../../support/database/proxied-database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'
import { counter, startPeriodicHost, task } from '../../support/jobs/periodic-host.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { eventually } from '../../support/vitest/eventually.ts'

describe('failing', () => {
  test('a permanent fault is logged at error with the name of the task, counted, and stored for health', async () => {
    const { url } = await testDatabase()
    const { log, records } = recordedLog()
    const sound = counter()
    const broken = counter(() => {
      throw new Error('a column is missing')
    })
    const host = await startPeriodicHost({
      url,
      log,
      entries: [task({ name: 'broken', run: broken.run }), task({ name: 'sound', run: sound.run })],
    })

    await broken.reach(6)
    await sound.reach(3)

    const errors = records().filter(({ level }) => level >= 50)
    expect(errors[0]).toMatchObject({
      level: 50,
      msg: 'a periodic task failed',
      periodic: 'broken',
      consecutiveFailures: 1,
      err: { message: 'a column is missing', stack: expect.any(String) },
    })
    const metrics = await host.metrics.registry.metrics()
    expect(metrics).toMatch(/yardmaster_periodic_runs_total\{name="broken",outcome="failed"\} [1-9]/)
    expect(metrics).toMatch(/yardmaster_periodic_runs_total\{name="sound",outcome="succeeded"\} [1-9]/)
    const [first, second] = await eventually(
      () => listPeriodicRuns(host.db),
      (rows) => rows.length === 2 && (rows[0]?.consecutive_failures ?? 0) >= 5,
    )
    expect(first).toMatchObject({ name: 'broken', host_id: host.hostId, last_error: 'Error: a column is missing' })
    expect(first?.last_error_at).toEqual(first?.last_run_at)
    expect(second).toMatchObject({ name: 'sound', last_error: null, consecutive_failures: 0 })
  })

  test('the same fault is logged at error when its count reaches a power of two, so it cannot fill the log', async () => {
    const { url } = await testDatabase()
    const { log, records } = recordedLog()
    const broken = counter(() => {
      throw new Error('always the same')
    })
    const host = await startPeriodicHost({ url, log, entries: [task({ intervalMs: 5, run: broken.run })] })

    await broken.reach(20)
    await host.drain()

    const counts = records()
      .filter(({ level }) => level === 50)
      .map(({ consecutiveFailures }) => consecutiveFailures)
    expect(counts.slice(0, 5)).toEqual([1, 2, 4, 8, 16])
  })

  test('a task that works again says so, keeps its last error and counts from zero', async () => {
    const { url } = await testDatabase()
    const { log, records } = recordedLog()
    let isBroken = true
    const runs = counter(() => {
      if (isBroken) throw new Error('for now')
      return 'done'
    })
    const host = await startPeriodicHost({ url, log, entries: [task({ run: runs.run })] })
    await runs.reach(3)

    isBroken = false

    const [row] = await eventually(
      () => listPeriodicRuns(host.db),
      (rows) => rows[0]?.consecutive_failures === 0,
    )
    expect(row).toMatchObject({ last_error: 'Error: for now' })
    expect(records().map(({ msg }) => msg)).toContain('a periodic task works again')
  })

  test('an outage of the database is one warning for all tasks and no error', async () => {
    const { url } = await testDatabase()
    const { url: proxiedUrl, proxy } = await proxiedDatabase(url)
    const { log, records } = recordedLog()
    const { db } = openTestDatabase(proxiedUrl)
    const run = async (): Promise<RunResult> => {
      await db.selectFrom('periodic_runs').select('name').execute()
      return 'done'
    }
    const host = await startPeriodicHost({
      url: proxiedUrl,
      log,
      entries: [task({ name: 'one', run }), task({ name: 'two', runs: 'one_host', run })],
    })
    await aWhile(200)

    proxy.cut()
    const outage = 'periodic tasks cannot reach the database; trying again'
    await eventually(
      async () => records().filter(({ msg }) => msg === outage).length,
      (count) => count > 3,
    )
    proxy.mend()
    await eventually(
      async () => records().map(({ msg }) => msg),
      (messages) => messages.includes('periodic tasks reach the database again'),
    )

    const levels = records()
      .filter(({ msg }) => msg === outage)
      .map(({ level }) => level)
    expect(levels.filter((level) => level === 40)).toHaveLength(1)
    expect(records().filter(({ level }) => level >= 50)).toEqual([])
    expect(await host.metrics.registry.metrics()).toContain('outcome="database_unavailable"')
  })
})

function aWhile(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
