import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseCronTable } from '../../../src/platform/jobs/cron.ts'
import { defineJob, refuseUnhandled } from '../../../src/platform/jobs/job.ts'
import { queueNames } from '../../../src/platform/jobs/queues.ts'
import { handleJob, wordJob } from '../../support/jobs/job-host.ts'

const sweep = defineJob({ name: 'sweep', queue: 'maintenance', payload: z.object({}), attempts: 2 })
const sweeper = handleJob(sweep, async () => undefined)
const poll = defineJob({ name: 'poll', queue: 'pollers', payload: z.object({}), attempts: 2 })
const poller = handleJob(poll, async () => undefined)

describe('at the start', () => {
  test('every declared job has exactly one handler', () => {
    expect(() => refuseUnhandled([sweep, poll], [sweeper, poller])).not.toThrow()
  })

  test('a job without a handler is refused by name', () => {
    expect(() => refuseUnhandled([sweep, poll], [sweeper])).toThrow('job poll has 0 handlers; it needs exactly one')
  })

  test('a job with two handlers is refused by name', () => {
    expect(() => refuseUnhandled([sweep], [sweeper, sweeper])).toThrow('job sweep has 2 handlers')
  })

  test('a handler of a job that no room declares is refused', () => {
    expect(() => refuseUnhandled([sweep], [sweeper, poller])).toThrow('job poll has a handler but is not declared')
  })

  test('two jobs of one name are refused', () => {
    expect(() => refuseUnhandled([sweep, sweep], [sweeper])).toThrow('declared twice')
  })

  test('the queues are the six of the house', () => {
    expect(queueNames).toEqual(['agents', 'pollers', 'triggers', 'inference', 'maintenance', 'default'])
  })
})

describe('the cron table', () => {
  test('each line goes to the queue of its job', () => {
    const table = parseCronTable(
      [
        { schedule: '17 * * * *', job: sweep },
        { schedule: '*/5 0-6,12 1 */2 1-5', job: poll },
      ],
      [sweeper, poller],
    )

    expect([...table].map(([queue, items]) => [queue, items.map(({ task }) => task)])).toEqual([
      ['maintenance', ['sweep']],
      ['pollers', ['poll']],
    ])
  })

  test('a recurring job that waits is not joined by another of its kind', () => {
    const [item] = parseCronTable([{ schedule: '* * * * *', job: sweep }], [sweeper]).get('maintenance') ?? []

    expect(item?.options).toMatchObject({ jobKey: 'cron:sweep', jobKeyMode: 'preserve_run_at', maxAttempts: 2 })
  })

  test.each(['', 'nightly', '@daily', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * * 13 *', '* * * * 8'])(
    'the line "%s" is refused with the name of its job',
    (schedule) => {
      expect(() => parseCronTable([{ schedule, job: sweep }], [sweeper])).toThrow(
        `the schedule of job sweep cannot be read: "${schedule}"`,
      )
    },
  )

  test.each(['* * * *', '* * * * * *', '*/0 * * * *', '5-1 * * * *', '1,,2 * * * *', '-1 * * * *', '1.5 * * * *'])(
    'the line "%s" is refused',
    (schedule) => {
      expect(() => parseCronTable([{ schedule, job: sweep }], [sweeper])).toThrow('job sweep')
    },
  )

  test('a job that stands there twice is refused', () => {
    const lines = ['0 * * * *', '30 * * * *'].map((schedule) => ({ schedule, job: sweep }))

    expect(() => parseCronTable(lines, [sweeper])).toThrow('job sweep stands twice in the cron table')
  })

  test('a job that nobody performs is refused', () => {
    expect(() => parseCronTable([{ schedule: '0 * * * *', job: sweep }], [poller])).toThrow('nobody performs it')
  })

  test('a job that needs a payload is refused, because the clock has none to give', () => {
    const needy = wordJob('default', 'needy')
    // The types refuse it too; a table that was put together by other means must not slip through.
    const line = { schedule: '0 * * * *', job: needy as unknown as typeof sweep }

    expect(() => parseCronTable([line], [handleJob(needy, async () => undefined)])).toThrow('needs a payload')
  })
})
