import { afterEach, describe, expect, test } from 'vitest'
import { checkConditions } from '../../../src/domain/forge/check-conditions.ts'
import { platformApp } from '../../support/remote/platform-app.ts'

const app = await platformApp()
let repos = 0
const repo = (): string => {
  repos += 1
  return `acme/poll-${repos}`
}
const later = (seconds = 1) => new Date(Date.now() + seconds * 1000)
const isSearch = (route: string): boolean => route === 'GET /search/issues'
/** A condition on the label `ready` of issues, and an open issue in its repository, before the label is added. */
const watchReady = async () => {
  const name = repo()
  const trigger = await app.watch('forge_label', { repos: [name], labels: ['ready'], target: 'issue' })
  const issue = app.forge.open(name, { at: later(-60) })
  await app.pollForge()
  return { trigger, issue }
}
const edit = async (trigger: number, configuration: object) => {
  const [condition] = (await app.show(trigger)).conditions as { id: number }[]
  await app.patch(`/triggers/${trigger}`, { trigger_conditions_attributes: [{ id: condition?.id, configuration }] })
}

afterEach(async () => {
  await app.pool.query('delete from triggers')
  await app.pool.query('delete from poller_states')
})

describe('a label condition', () => {
  test('a label condition fires nothing for what is labelled at its first poll, and for labels added later', async () => {
    const name = repo()
    const [old, fresh] = [
      app.forge.open(name, { kind: 'pull_request' }),
      app.forge.open(name, { kind: 'pull_request' }),
    ]
    app.forge.label(old, 'ready')
    const trigger = await app.watch(
      'forge_label',
      { repos: [name], labels: ['Ready'] },
      { prompt_template: 'say {{number}} {{event}}' },
    )
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toEqual([])
    app.forge.label(fresh, 'ready')
    await app.pollForge()
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
    expect((await app.promptsOf(trigger))[0]).toMatch(/^say 2 .*label ready added to pull request/)
  })

  test('two watched labels on one item are two fires', async () => {
    const name = repo()
    const trigger = await app.watch('forge_label', { repos: [name], labels: ['a', 'b'], target: 'issue' })
    await app.pollForge()
    const issue = app.forge.open(name)
    app.forge.label(issue, 'a')
    app.forge.label(issue, 'b')
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(2)
  })

  test('a late search index neither loses an addition nor repeats a fire', async () => {
    const { trigger, issue } = await watchReady()
    app.forge.label(issue, 'ready')
    await app.sendForge(app.forge.eventOf(issue, 'labeled', 'ready'), { event: 'issues' })
    await app.performJobs()
    app.forge.setIndexing(false)
    // The index forgets the label for longer than a removal takes to be believed, and then knows it again.
    issue.indexed = { labels: [], state: 'open' }
    for (let poll = 0; poll < 5; poll += 1) await app.pollForge()
    app.forge.reindex()
    await app.pollForge()
    app.forge.setIndexing(true)
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })

  test('a label that three polls have missed counts as removed, and adding it again fires again', async () => {
    const { trigger, issue } = await watchReady()
    app.forge.label(issue, 'ready')
    await app.pollForge()
    app.forge.unlabel(issue, 'ready')
    for (let poll = 0; poll < 3; poll += 1) await app.pollForge()
    app.forge.label(issue, 'ready')
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(2)
  })

  test('a label that is removed and added again between two polls fires again', async () => {
    const { trigger, issue } = await watchReady()
    app.forge.label(issue, 'ready', later(-50))
    await app.pollForge()
    app.forge.unlabel(issue, 'ready', later(-40))
    app.forge.label(issue, 'ready', later(-30))
    await app.pollForge()
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(2)
  })

  test('a label that was there at the first poll fires when it is removed and added again, and not when its item changes otherwise', async () => {
    const name = repo()
    const issue = app.forge.open(name, { labels: ['ready'], at: later(-60) })
    const trigger = await app.watch('forge_label', { repos: [name], labels: ['ready'], target: 'issue' })
    await app.pollForge()
    app.forge.label(issue, 'another', later(-50))
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toEqual([])
    app.forge.unlabel(issue, 'ready', later(-40))
    app.forge.label(issue, 'ready', later(-30))
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })

  test('an unchanged item costs no request, and of the items that have changed 20 a poll are asked about', async () => {
    const name = repo()
    const issues = Array.from({ length: 30 }, () => app.forge.open(name, { labels: ['ready'], at: later(-60) }))
    await app.watch('forge_label', { repos: [name], labels: ['ready'], target: 'issue' })
    const requests = async () => {
      const before = app.forge.requests.length
      await app.pollForge()
      return app.forge.requests.slice(before).filter(({ route }) => route.endsWith('/events')).length
    }
    expect([await requests(), await requests()]).toEqual([0, 0])
    for (const issue of issues) app.forge.label(issue, 'another', later(-30))
    expect([await requests(), await requests(), await requests()]).toEqual([20, 10, 0])
  })

  test('a label that was added again while the trigger was disabled does not fire', async () => {
    const { trigger, issue } = await watchReady()
    app.forge.label(issue, 'ready', later(-50))
    await app.pollForge()
    await app.post(`/triggers/${trigger}/toggle`)
    app.forge.unlabel(issue, 'ready', later(-40))
    app.forge.label(issue, 'ready', later(-30))
    await app.post(`/triggers/${trigger}/toggle`)
    await app.pollForge()
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })

  test('an item that is gone and still in the search index does not keep the others from firing', async () => {
    const name = repo()
    const trigger = await app.watch('forge_label', { repos: [name], labels: ['ready'], target: 'issue' })
    await app.pollForge()
    for (const _ of [1, 2, 3]) app.forge.label(app.forge.open(name), 'ready')
    const isGone = (route: string) => route === `GET /repos/${name}/issues/3/events`
    app.forge.next(isGone, { status: 404, body: { message: 'Not Found' } })
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(2)
  })

  test('closing removes an item, and reopening it with its label fires again', async () => {
    const { trigger, issue } = await watchReady()
    app.forge.label(issue, 'ready')
    await app.pollForge()
    app.forge.closeItem(issue)
    for (let poll = 0; poll < 3; poll += 1) await app.pollForge()
    app.forge.reopen(issue)
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(2)
  })

  test('an added repository or label is baselined alone; a change of target baselines everything', async () => {
    const [one, two] = [repo(), repo()]
    const old = app.forge.open(two)
    app.forge.label(old, 'ready')
    const scope = { repos: [one], labels: ['ready'], target: 'issue' }
    const trigger = await app.watch('forge_label', scope)
    await app.pollForge()
    const fresh = app.forge.open(one)
    app.forge.label(fresh, 'ready')
    app.forge.label(fresh, 'urgent')
    await edit(trigger, { ...scope, repos: [one, two], labels: ['ready', 'urgent'] })
    await app.pollForge()
    // The label `ready` of the first repository was watched before the edit.
    expect(await app.promptsOf(trigger)).toHaveLength(1)
    const pull = app.forge.open(one, { kind: 'pull_request' })
    app.forge.label(pull, 'ready')
    await edit(trigger, { ...scope, target: 'pull_request' })
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })

  test('a fire that was skipped leaves the item for a later poll', async () => {
    const name = repo()
    const trigger = await app.watch(
      'forge_label',
      { repos: [name], labels: ['a', 'b'], target: 'issue' },
      { skip_if_pending_session: true },
    )
    await app.pollForge()
    const issue = app.forge.open(name)
    app.forge.label(issue, 'a')
    app.forge.label(issue, 'b')
    await app.pollForge()
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
    await app.pool.query("update sessions set status = 'needs_input' where metadata ->> 'trigger_id' = $1", [
      String(trigger),
    ])
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(2)
  })
})

describe('an issue condition', () => {
  test('an issue condition fires for issues opened since it was created, once, whichever way they are seen', async () => {
    const name = repo()
    app.forge.open(name, { at: new Date(Date.now() - 60_000) })
    const trigger = await app.watch('forge_issue', { repos: [name] }, { prompt_template: 'say {{number}}' })
    await app.pollForge()
    const [seen, unseen] = [app.forge.open(name, { at: later() }), app.forge.open(name, { at: later() })]
    await app.sendForge(app.forge.eventOf(seen, 'opened'), { event: 'issues' })
    await Promise.all([app.performJobs(), app.pollForge()])
    await app.pollForge()
    expect((await app.promptsOf(trigger)).toSorted()).toEqual(['say 2', 'say 3'])
    expect(unseen.number).toBe(3)
  })

  test('an issue that the index knows late is found within the overlap, and by the daily listing after that', async () => {
    const name = repo()
    const trigger = await app.watch('forge_issue', { repos: [name] }, { prompt_template: 'say {{number}}' })
    await app.pollForge()
    const late = app.forge.open(name, { at: later(), isIndexedLate: true })
    app.forge.open(name, { at: later(2) })
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toEqual(['say 2'])
    await app.pool.query(
      `update trigger_cursors set state = jsonb_set(state, '{reconciledAt}', to_jsonb(to_char(now() - interval '25 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
       where name = 'issues'`,
    )
    await app.pollForge()
    expect((await app.promptsOf(trigger)).toSorted()).toEqual(['say 1', 'say 2'])
    const listings = () => app.forge.requests.filter(({ route }) => route === `GET /repos/${name}/issues`).length
    expect(listings()).toBe(1)
    await app.pollForge()
    expect(listings()).toBe(1)
    expect(late.number).toBe(1)
  })

  test('a repository that is gone does not keep the daily listing from the others', async () => {
    const [gone, name] = [repo(), repo()]
    const trigger = await app.watch('forge_issue', { repos: [gone, name] }, { prompt_template: 'say {{number}}' })
    await app.pollForge()
    app.forge.open(name, { at: later(), isIndexedLate: true })
    await app.pool.query(
      `update trigger_cursors set state = jsonb_set(state, '{reconciledAt}', '"2020-01-01T00:00:00.000Z"') where name = 'issues'`,
    )
    app.forge.next((route) => route === `GET /repos/${gone}/issues`, { status: 404, body: { message: 'Not Found' } })
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toEqual(['say 1'])
  })

  test('an issue with an excluded label does not fire until the label is gone', async () => {
    const name = repo()
    const trigger = await app.watch('forge_issue', { repos: [name], exclude_labels: ['Hold'] })
    await app.pollForge()
    const issue = app.forge.open(name, { labels: ['hold'], at: later() })
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toEqual([])
    app.forge.unlabel(issue, 'hold')
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })

  test('a repository that joins starts at the edit, and the others go on', async () => {
    const [one, two] = [repo(), repo()]
    const trigger = await app.watch('forge_issue', { repos: [one] }, { prompt_template: 'say {{repo}}' })
    await app.pollForge()
    app.forge.open(two, { at: new Date(Date.now() - 5000) })
    app.forge.open(one, { at: later(0) })
    await edit(trigger, { repos: [one, two] })
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toEqual([`say ${one}`])
    app.forge.open(two, { at: later(2) })
    await app.pollForge()
    expect((await app.promptsOf(trigger)).toSorted()).toEqual([`say ${one}`, `say ${two}`])
  })

  test('one search covers all repositories of a condition', async () => {
    const names = [repo(), repo(), repo()]
    await app.watch('forge_issue', { repos: names })
    const before = app.forge.requests.filter(({ route }) => isSearch(route)).length
    await app.pollForge()
    expect(app.forge.requests.filter(({ route }) => isSearch(route)).length - before).toBe(1)
  })
})

describe('a forge in trouble', () => {
  test('an incomplete search skips the poll, and the fifth in a row is reported', async () => {
    const name = repo()
    const trigger = await app.watch('forge_issue', { repos: [name] })
    await app.pollForge()
    app.forge.open(name, { at: later() })
    for (let poll = 1; poll < 5; poll += 1) {
      app.forge.searchIncompletely(3)
      expect(await app.pollForge()).toBe('done')
    }
    app.forge.searchIncompletely(3)
    await expect(app.pollForge()).rejects.toMatchObject({ kind: 'incomplete' })
    expect(await app.promptsOf(trigger)).toEqual([])
    await app.pollForge()
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })

  test('a rate limit postpones the poll until it resets', async () => {
    await app.watch('forge_issue', { repos: [repo()] })
    app.forge.throttle(isSearch, { 'retry-after': '120' })
    expect(await app.pollForge()).toEqual({ againAfterMs: 120_000 })
  })

  test('a search that is always incomplete or fails does not keep the other conditions from being polled, and is reported', async () => {
    const [poor, gone, name] = [repo(), repo(), repo()]
    const incomplete = await app.watch('forge_issue', { repos: [poor] })
    await app.watch('forge_label', { repos: [gone], labels: ['a'] })
    const trigger = await app.watch('forge_issue', { repos: [name] })
    await app.pollForge()
    app.forge.open(name, { at: later() })
    const partial = { body: { total_count: 9, incomplete_results: true, items: [] } }
    app.forge.next((_route, { q = '' }) => q.includes(poor), partial, partial, partial)
    const broken = { status: 500, body: { message: 'Server Error' } }
    app.forge.next((_route, { q = '' }) => q.includes(gone), broken, broken, broken)
    expect(await app.pollForge()).toBe('done')
    expect(await app.promptsOf(trigger)).toHaveLength(1)
    await app.pool.query(
      `update trigger_conditions set armed_at = now() - interval '1 hour', last_polled_at = now() - interval '20 minutes'
       where trigger_id = $1`,
      [incomplete],
    )
    await checkConditions.perform({}, app.host.app)
    const reason = expect.stringMatching(/^The forge was not polled for this condition since /)
    expect(await app.fires(incomplete)).toMatchObject([{ outcome: 'failed', reason }])
    expect(await app.fires(trigger)).toMatchObject([{ outcome: 'spawned' }])
  })

  test('a repository that is refused does not keep the other conditions from being polled', async () => {
    await app.watch('forge_label', { repos: [repo()], labels: ['a'] })
    const name = repo()
    const trigger = await app.watch('forge_issue', { repos: [name] })
    await app.pollForge()
    app.forge.open(name, { at: later() })
    const isOther = (route: string, { q = '' }) => isSearch(route) && !q.includes(name)
    app.forge.next(isOther, { status: 422, body: { message: 'The listed repositories cannot be searched' } })
    await expect(app.pollForge()).rejects.toThrow('cannot be searched')
    expect(await app.promptsOf(trigger)).toHaveLength(1)
  })
})
