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

describe('the check of job declarations at start', () => {
  test('the check of job declarations at start accepts jobs with exactly one handler each', () => {
    expect(() => refuseUnhandled([sweep, poll], [sweeper, poller])).not.toThrow()
  })

  test('the check of job declarations at start refuses a job without a handler and names it', () => {
    expect(() => refuseUnhandled([sweep, poll], [sweeper])).toThrow('job poll has 0 handlers; it needs exactly one')
  })

  test('the check of job declarations at start refuses a job with two handlers and names it', () => {
    expect(() => refuseUnhandled([sweep], [sweeper, sweeper])).toThrow('job sweep has 2 handlers')
  })

  test('the check of job declarations at start refuses a handler of a job that no room declares', () => {
    expect(() => refuseUnhandled([sweep], [sweeper, poller])).toThrow('job poll has a handler but is not declared')
  })

  test('the check of job declarations at start refuses two jobs with one name', () => {
    expect(() => refuseUnhandled([sweep, sweep], [sweeper])).toThrow('declared twice')
  })

  test('the job declarations name six queues', () => {
    expect(queueNames).toEqual(['agents', 'pollers', 'triggers', 'inference', 'pushes', 'maintenance', 'default'])
  })
})

describe('the cron table', () => {
  test('the cron table assigns each entry to the queue of its job', () => {
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

  test('the cron table gives a recurring job a key, so that at most one waits', () => {
    const [item] = parseCronTable([{ schedule: '* * * * *', job: sweep }], [sweeper]).get('maintenance') ?? []

    expect(item?.options).toMatchObject({ jobKey: 'cron:sweep', jobKeyMode: 'preserve_run_at', maxAttempts: 2 })
  })

  test.each(['', 'nightly', '@daily', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * * 13 *', '* * * * 8'])(
    'the cron table refuses the schedule "%s" and names the job',
    (schedule) => {
      expect(() => parseCronTable([{ schedule, job: sweep }], [sweeper])).toThrow(
        `job sweep has an invalid schedule: "${schedule}"`,
      )
    },
  )

  test.each(['* * * *', '* * * * * *', '*/0 * * * *', '5-1 * * * *', '1,,2 * * * *', '-1 * * * *', '1.5 * * * *'])(
    'the cron table refuses the schedule "%s"',
    (schedule) => {
      expect(() => parseCronTable([{ schedule, job: sweep }], [sweeper])).toThrow('job sweep')
    },
  )

  test('the cron table refuses two entries for one job', () => {
    const lines = ['0 * * * *', '30 * * * *'].map((schedule) => ({ schedule, job: sweep }))

    expect(() => parseCronTable(lines, [sweeper])).toThrow('job sweep has two cron entries')
  })

  test('the cron table refuses an entry for a job without a handler', () => {
    expect(() => parseCronTable([{ schedule: '0 * * * *', job: sweep }], [poller])).toThrow(
      'has a cron entry but no handler',
    )
  })

  test('the cron table refuses an entry for a job that needs a payload', () => {
    const needy = wordJob('default', 'needy')
    // The types refuse it as well; this is for a table that was built without them.
    const line = { schedule: '0 * * * *', job: needy as unknown as typeof sweep }

    expect(() => parseCronTable([line], [handleJob(needy, async () => undefined)])).toThrow('needs a payload')
  })
})
