import { beforeAll, describe, expect, test } from 'vitest'
import { checkPullRequests } from '../../../src/domain/pull-requests/check-pull-requests.ts'
import { addressesIn } from '../../../src/domain/pull-requests/find-pull-requests.ts'
import { leaveToTest } from '../../support/jobs/leave-to-test.ts'
import { platformApp } from '../../support/remote/platform-app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = await platformApp({ role: 'all' })
const { create, reaches, messages, drain, busy, turns, logs } = sessionHelpers(app)
let repos = 0
const repo = (): string => {
  repos += 1
  return `acme/pulls-${repos}`
}

const shown = async (id: number) => (await app.get(`/sessions/${id}`)).body.session.metadata.pull_requests
beforeAll(() => leaveToTest(app.pool, 'check_pull_requests'))
const check = async () => {
  await app.pool.query('update session_pull_requests set check_at = now()')
  await checkPullRequests(app.host.app, new AbortController().signal)
}
/** A session at rest whose agent has printed the address of a pull request that it opened. */
async function withPullRequest() {
  const name = repo()
  const pull = app.forge.open(name, { kind: 'pull_request', at: new Date(Date.now() + 1000) })
  const id = await create(`run echo "opened ${app.forge.urlOf(pull).replace('/pull/', '/pu""ll/')}"`)
  await reaches(id, 'needs_input')
  await eventually(
    () => shown(id),
    (list) => list?.length === 1,
  )
  return { id, pull, url: app.forge.urlOf(pull) }
}
const notices = async (id: number) =>
  (await messages(id)).map(({ origin, status, content }) => ({ origin, status, content }))

describe('a pull request that the agent of a session opened', () => {
  test('a pull request that the agent of a session opened stands on the session with its state, and a merge queues a message', async () => {
    const { id, pull, url } = await withPullRequest()
    expect(await shown(id)).toEqual([{ url, state: 'open', has_conflict: false }])
    app.forge.merge(pull)
    await check()
    expect(await shown(id)).toEqual([{ url, state: 'merged', has_conflict: false }])
    const content = `[Automated message from Yardmaster, not from a person] The pull request ${url} was merged.`
    expect(await notices(id)).toEqual([{ origin: 'automated_pr_merged', status: 'pending', content }])
    await check()
    expect(await notices(id)).toHaveLength(1)
    await drain(id)
    await eventually(
      () => notices(id),
      ([notice]) => notice?.status === 'sent',
    )
  })

  test('a webhook about the merge is enough', async () => {
    const { id, pull } = await withPullRequest()
    app.forge.merge(pull)
    await app.sendForge(app.forge.eventOf(pull, 'closed'), { event: 'pull_request' })
    await eventually(
      () => notices(id),
      ([notice]) => notice?.origin === 'automated_pr_merged',
    )
  })

  test('a conflict queues one message, which is withdrawn when the conflict is resolved before delivery', async () => {
    const { id, pull, url } = await withPullRequest()
    app.forge.setMergeable(pull, null)
    await check()
    expect(await notices(id)).toEqual([])
    app.forge.setMergeable(pull, false)
    await check()
    await check()
    expect(await shown(id)).toEqual([{ url, state: 'open', has_conflict: true }])
    expect(await notices(id)).toMatchObject([{ origin: 'automated_merge_conflict', status: 'pending' }])
    app.forge.setMergeable(pull, true)
    await check()
    expect(await notices(id)).toMatchObject([{ origin: 'automated_merge_conflict', status: 'undelivered' }])
    app.forge.setMergeable(pull, false)
    await check()
    expect(await notices(id)).toMatchObject([{ status: 'undelivered' }, { status: 'pending' }])
  })

  test('a message about a conflict that waited for the end of a turn is checked again before it is delivered', async () => {
    const { id: busyId, release } = await busy()
    const pull = app.forge.open(repo(), { kind: 'pull_request' })
    await app.patch(`/sessions/${busyId}`, { custom_metadata: { pull_request: app.forge.urlOf(pull) } })
    app.forge.setMergeable(pull, false)
    await check()
    expect(await notices(busyId)).toMatchObject([{ origin: 'automated_merge_conflict', status: 'pending' }])
    // It was checked a while ago, and the conflict is gone when the turn ends.
    await app.pool.query(
      "update enqueued_messages set updated_at = now() - interval '5 minutes' where session_id = $1",
      [busyId],
    )
    app.forge.setMergeable(pull, true)
    await release()
    await eventually(
      () => notices(busyId),
      ([notice]) => notice?.status === 'undelivered',
    )
    expect(await turns(busyId)).toHaveLength(1)
    expect((await logs(busyId)).some((line) => line.includes('is resolved'))).toBe(true)
  })

  test('a message about a conflict that still exists when the turn ends is delivered', async () => {
    const { id: busyId, release } = await busy()
    const pull = app.forge.open(repo(), { kind: 'pull_request' })
    await app.patch(`/sessions/${busyId}`, { custom_metadata: { pull_request: app.forge.urlOf(pull) } })
    app.forge.setMergeable(pull, false)
    await check()
    await app.pool.query(
      "update enqueued_messages set updated_at = now() - interval '5 minutes' where session_id = $1",
      [busyId],
    )
    await release()
    await eventually(
      () => notices(busyId),
      ([notice]) => notice?.status === 'sent',
    )
  })
})

test('a pull request that a caller names in custom_metadata is followed, even if it is older than the session', async () => {
  const pull = app.forge.open(repo(), { kind: 'pull_request', at: new Date('2020-01-01T00:00:00Z') })
  const custom_metadata = { work: { pull_request: `${app.forge.urlOf(pull)}/files` } }
  const id = await create('say hello', { custom_metadata })
  await check()
  expect(await shown(id)).toEqual([{ url: app.forge.urlOf(pull), state: 'open', has_conflict: false }])
})

test('a pull request that a prompt named, or that is older than the session, is not followed', async () => {
  const name = repo()
  const [asked, old] = [
    app.forge.open(name, { kind: 'pull_request', at: new Date(Date.now() + 60_000) }),
    app.forge.open(name, { kind: 'pull_request', at: new Date('2020-01-01T00:00:00Z') }),
  ]
  const printed = app.forge.urlOf(old).replace('/pull/', '/pu""ll/')
  const id = await create(`say review ${app.forge.urlOf(asked)}\nrun echo "${printed}"`)
  await reaches(id, 'needs_input')
  await eventually(
    async () => (await app.pool.query('select * from pull_request_scans where session_id = $1', [id])).rows,
    (rows) => rows.length === 1,
  )
  await check()
  expect(await shown(id)).toEqual(undefined)
  const { rows } = await app.pool.query('select * from session_pull_requests where session_id = $1', [id])
  expect(rows).toEqual([])
})

test('a pull request of several sessions is asked about once', async () => {
  const pull = app.forge.open(repo(), { kind: 'pull_request' })
  const custom_metadata = { pull_request: app.forge.urlOf(pull) }
  for (const number of [1, 2, 3]) await create(`say ${number}`, { custom_metadata })
  await app.pool.query("update session_pull_requests set check_at = now() + interval '1 hour'")
  await checkPullRequests(app.host.app, new AbortController().signal)
  const route = `GET /repos/${pull.repo}/pulls/${pull.number}`
  expect(app.forge.requests.filter((request) => request.route === route)).toHaveLength(1)
})

test('a session follows at most 50 pull requests, however many addresses its agent prints', async () => {
  const id = await create(`run seq -f "${app.forge.url}/acme/flood/pu""ll/%.0f" 1 20000`)
  await reaches(id, 'needs_input')
  const followed = async () =>
    (await app.pool.query('select count(*)::int as count from session_pull_requests where session_id = $1', [id]))
      .rows[0].count
  const scans = async () =>
    (await app.pool.query('select entry_count from pull_request_scans where session_id = $1', [id])).rows
  await eventually(scans, (rows) => rows.length === 1)
  expect(await followed()).toBeLessThanOrEqual(50)
})

test('a pull request that the forge cannot show does not keep the others from being asked about', async () => {
  const [poisoned, healthy] = [await withPullRequest(), await withPullRequest()]
  const isPoisoned = (route: string) => route.includes(`${poisoned.pull.repo}/pulls`)
  app.forge.next(isPoisoned, ...Array(30).fill({ status: 500, body: { message: 'Server Error' } }))
  app.forge.merge(healthy.pull)
  await check()
  expect(await shown(healthy.id)).toMatchObject([{ state: 'merged' }])
  const { rows } = await app.pool.query(
    "select check_at > now() + interval '4 minutes' as is_postponed from session_pull_requests where session_id = $1",
    [poisoned.id],
  )
  expect(rows).toEqual([{ is_postponed: true }])
})

test('addresses are found under a host with a port or brackets, and none that leads elsewhere', () => {
  const found = (text: string, webUrl: string) => addressesIn(text, webUrl).map(({ url }) => url)
  expect(found('see http://[::1]:3000/acme/api/pull/7', 'http://[::1]:3000')).toEqual([
    'http://[::1]:3000/acme/api/pull/7',
  ])
  expect(found('see https://a+b.test/acme/api/pull/7', 'https://aab.test')).toEqual([])
  for (const path of ['../../pull/5', 'acme/../pull/5', './api/pull/5'])
    expect(found(`see https://forge.test/${path}`, 'https://forge.test')).toEqual([])
})

test('addresses are found in JSON, once each, and only of our forge', () => {
  const web = 'https://forge.test'
  const text = String.raw`{"a":"https:\/\/forge.test\/acme\/api\/pull\/7","b":"see https://forge.test/Acme/api/pull/7#x, https://forge.test/acme/api/pull/70/files https://evil.test/acme/api/pull/1 https://forge.test/acme/api/pull/99999999999"}`
  expect(addressesIn(text, web).map(({ repo: name, number }) => `${name}#${number}`)).toEqual(
    expect.arrayContaining(['acme/api#7', 'acme/api#70']),
  )
  expect(new Set(addressesIn(text, web).map(({ number }) => number))).toEqual(new Set([7, 70]))
})
