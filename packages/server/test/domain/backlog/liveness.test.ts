import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { issueIn } from '../../../src/domain/backlog/check-issues.ts'
import { backlogApp } from '../../support/backlog/items.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { startForgeServer } from '../../support/remote/forge-server.ts'

const forge = await startForgeServer()
afterAll(() => forge.close())
const app = backlogApp(forge.environment)
beforeEach(() => app.empty())

const check = () => runPeriodic(app.host.app, 'check_backlog_issues')
const makeDue = () => app.pool.query('update work_backlog_items set liveness_check_at = now()')
const livenessOf = async (key: string) => (await app.get(`/work_backlog_items/${key}`)).body.work_backlog_item.liveness

describe('the liveness of an item', () => {
  test('an item whose issue was closed is found by the poller and shown, and stays queued', async () => {
    const issue = forge.open('acme/web')
    await app.queue('a', { issue_url: forge.urlOf(issue) })
    expect(await livenessOf('a')).toBe('unknown')
    await check()
    expect((await app.get('/work_backlog_items')).body.work_backlog_items).toMatchObject([
      { key: 'a', liveness: 'open', liveness_checked_at: expect.any(String) },
    ])
    forge.closeItem(issue)
    await makeDue()
    await app.pool.query('delete from events')
    await check()
    expect(await livenessOf('a')).toBe('closed')
    expect((await app.pool.query('select name from events')).rows).toEqual([{ name: 'work_backlog.changed' }])
    expect(await app.keys()).toEqual(['a'])
    forge.reopen(issue)
    await makeDue()
    await check()
    expect(await livenessOf('a')).toBe('open')
  })

  test('an issue that the forge does not show is missing', async () => {
    await app.queue('a', { issue_url: `${forge.url}/acme/web/issues/999` })
    await check()
    expect(await livenessOf('a')).toBe('missing')
  })

  test('work without an issue, and issues elsewhere, are never asked about', async () => {
    await app.queue('manual', { issue_url: null, prompt: 'say x' })
    await app.queue('elsewhere', { issue_url: 'https://other.example/acme/web/issues/1' })
    await check()
    expect([await livenessOf('manual'), await livenessOf('elsewhere')]).toEqual(['unknown', 'unknown'])
    const { rows } = await app.pool.query('select count(liveness_check_at)::int as due from work_backlog_items')
    expect(rows[0].due).toBe(0)
  })

  test('an item that left the queue is asked about no more, and one that was just asked about waits', async () => {
    const issue = forge.open('acme/web')
    await app.queue('gone', { issue_url: forge.urlOf(issue) })
    await app.post('/work_backlog_items/gone/remove', { reason: 'x' })
    await app.queue('stays', { issue_url: forge.urlOf(issue) })
    await check()
    forge.closeItem(issue)
    await check()
    expect([await livenessOf('gone'), await livenessOf('stays')]).toEqual(['unknown', 'open'])
  })

  test('a forge that throttles postpones the poll and loses no item', async () => {
    const issue = forge.open('acme/web')
    await app.queue('a', { issue_url: forge.urlOf(issue) })
    forge.throttle((route) => route.includes('/issues/'), { 'retry-after': '60' }, 429)
    expect(await check()).toMatchObject({ againAfterMs: expect.any(Number) })
    expect(await livenessOf('a')).toBe('unknown')
    await app.pool.query('delete from poller_states')
    await check()
    expect(await livenessOf('a')).toBe('open')
  })
})

describe('POST /work_backlog_items/check_issues', () => {
  test('POST /work_backlog_items/check_issues makes the issues of queued items due, and one job that asks about them', async () => {
    const issue = forge.open('acme/web')
    await app.queue('a', { issue_url: forge.urlOf(issue) })
    await app.queue('manual', { issue_url: null, prompt: 'say x' })
    await app.queue('gone', { issue_url: forge.urlOf(issue) })
    await app.post('/work_backlog_items/gone/remove', { reason: 'x' })
    await check()
    forge.closeItem(issue)
    await check()
    expect(await livenessOf('a')).toBe('open')
    // As a minute later.
    await app.pool.query(
      "update work_backlog_items set liveness_checked_at = now() - interval '1 minute', liveness_asked_at = null",
    )
    for (let time = 0; time < 2; time += 1)
      expect(await app.post('/work_backlog_items/check_issues')).toMatchObject({
        status: 200,
        body: { queued: true, due: 1 },
      })
    const { rows } = await app.pool.query(
      "select count(*)::int as count from graphile_worker.jobs where task_identifier = 'check_backlog_issues_now'",
    )
    expect(rows[0].count).toBe(1)
    await check()
    expect(await livenessOf('a')).toBe('closed')
  })

  test('POST /work_backlog_items/check_issues leaves out issues elsewhere, and asks for no job without any', async () => {
    await app.queue('elsewhere', { issue_url: 'https://other.example/acme/web/issues/1' })
    await check()
    expect((await app.post('/work_backlog_items/check_issues')).body).toEqual({ queued: true, due: 0 })
  })
})

describe('without a forge', () => {
  const without = backlogApp()

  test('POST /work_backlog_items/check_issues answers 503', async () => {
    expect(await without.post('/work_backlog_items/check_issues')).toMatchObject({
      status: 503,
      body: { error: 'Forge is not configured' },
    })
  })
})

test.each([
  ['https://github.com/acme/web/issues/498', { repo: 'acme/web', number: 498 }],
  ['https://github.com/acme/web/issues/498/?a=b#c', { repo: 'acme/web', number: 498 }],
  ['https://github.com/acme/web/pull/498', undefined],
  ['https://github.com/acme/../issues/1', undefined],
  ['https://github.com.evil.example/acme/web/issues/1', undefined],
  ['https://github.com/acme/web/issues/99999999999', undefined],
])('the address %s names the issue %j', (url, expected) => {
  expect(issueIn(url, 'https://github.com')).toEqual(expected)
})
