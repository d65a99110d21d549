import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accountsApp } from '../../support/accounts/accounts-app.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { atRest, waitForStatus } from '../../support/sessions/demo-session.ts'

const { log, records } = recordedLog()
const { app, vendor, rows, clear, add, account, begin } = accountsApp({ log })
afterEach(clear)

const attempts = async (): Promise<number> => (await rows('select from account_attempts')).length

describe('a login that the vendor rejects, although every refresh succeeds', () => {
  test('is tried with three refreshed tokens in 15 minutes, and then the session fails with the reason', async () => {
    const id = await add('one@example.test')
    vendor.answerPrompts(401)
    const started = await begin('hello')
    expect(await atRest(app, started)).toMatchObject({ status: 'failed', metadata: { failure_reason: 'auth' } })
    expect(vendor.prompts).toHaveLength(4)
    expect(vendor.refreshes).toHaveLength(3)
    expect(await attempts()).toBe(4)
    expect(await account(id)).toMatchObject({ status: 'active' })
  })

  test('is tried three times more when the 15 minutes are over, and not before', async () => {
    await add('one@example.test')
    vendor.answerPrompts(401)
    const started = await begin('hello')
    await atRest(app, started)
    const again = async (minutesLater: number): Promise<number> => {
      await app.pool.query('update account_attempts set attempted_at = attempted_at - make_interval(mins => $1)', [
        minutesLater,
      ])
      vendor.prompts.length = 0
      expect((await app.post(`/sessions/${started}/restart`)).status).toBe(200)
      expect(await atRest(app, started)).toMatchObject({ status: 'failed' })
      return vendor.prompts.length
    }
    expect(await again(5)).toBe(1)
    expect(await again(16)).toBe(4)
    vendor.answerPrompts(undefined)
    await app.pool.query('delete from account_attempts')
    expect((await app.post(`/sessions/${started}/restart`)).status).toBe(200)
    await waitForStatus(app, started, 'needs_input')
    expect(vendor.answered).toHaveLength(1)
  })

  test('of one session leaves the attempts of another to it', async () => {
    await add('one@example.test')
    vendor.answerPrompts(401)
    await atRest(app, await begin('hello'))
    vendor.prompts.length = 0
    expect(await atRest(app, await begin('hello'))).toMatchObject({ status: 'failed' })
    expect(vendor.prompts).toHaveLength(4)
  })
})

describe('a failure without a structured sign of its cause', () => {
  const alarms = () => records().filter(({ msg }) => msg === 'a failure of an account could not be classified')
  const counted = async (reason: string): Promise<number> => {
    const { body } = await app.get('/metrics')
    const line = new RegExp(
      `^yardmaster_unclassified_account_errors_total\\{[^}]*reason="${reason}"[^}]*\\} (\\d+)$`,
      'm',
    )
    return Number(line.exec(String(body))?.[1])
  }
  let before = { alarms: 0, counted: 0 }
  beforeEach(async () => {
    before = { alarms: alarms().length, counted: await counted('rate_limit') }
  })

  test('is an alarm in the log and the metrics, and fails the turn if the account proves to serve', async () => {
    const id = await add('one@example.test')
    vendor.answerPrompts(429)
    expect(await atRest(app, await begin('hello'))).toMatchObject({
      status: 'failed',
      metadata: { failure_reason: 'rate_limit' },
    })
    expect(alarms().slice(before.alarms)).toEqual([
      expect.objectContaining({ level: 50, runtime: 'runtime_alpha', account_id: id, reason: 'rate_limit' }),
    ])
    expect(await counted('rate_limit')).toBe(before.counted + 1)
    expect(await account(id)).toMatchObject({ status: 'active', is_current: true })
  })

  test('moves the pool on if the account proves to be spent, and the turn continues with the next one', async () => {
    const one = await add('one@example.test')
    await add('two@example.test')
    vendor.spend('one@example.test')
    vendor.answerPrompts(429, 1)
    expect(await atRest(app, await begin('hello'))).toMatchObject({ status: 'needs_input' })
    expect(alarms()).toHaveLength(before.alarms + 1)
    expect(await counted('rate_limit')).toBe(before.counted + 1)
    expect(await account(one)).toMatchObject({ status: 'quota_exceeded' })
    expect(vendor.answered).toEqual([{ account: 'two@example.test', prompt: expect.any(String) }])
  })

  test('is no alarm if the cause is known', async () => {
    await add('one@example.test')
    await add('two@example.test')
    vendor.spend('one@example.test')
    expect(await atRest(app, await begin('hello'))).toMatchObject({ status: 'needs_input' })
    vendor.answerPrompts(500)
    expect(await atRest(app, await begin('hello'))).toMatchObject({ status: 'failed' })
    expect(alarms()).toHaveLength(before.alarms)
  })
})
