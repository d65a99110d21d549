import { describe, expect, test } from 'vitest'
import { titleFromFailure, titleFromPrompt } from '../../../src/domain/titles/derive-title.ts'
import { titleOverdueSessions } from '../../../src/domain/titles/give-title.ts'
import { listSubscriptions } from '../../../src/platform/events/subscription-store.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { findDemo } from '../../support/sessions/demo-session.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create } = sessionHelpers(app)

const titled = (id: number) =>
  eventually(
    () => findDemo(app, id),
    ({ metadata }) => !('auto_generated_title' in metadata),
  )

const placeholder = { title: 'Session 1', metadata: { auto_generated_title: true } }

describe('a session without a title', () => {
  test('a session without a title gets the first sentence of its prompt as title, and a slug, when its first turn ends', async () => {
    const id = await create('say Tidy the retry loop. Then stop.\nsay more')
    const { title, slug, created_at } = await titled(id)
    expect(title).toBe('say Tidy the retry loop')
    const digits = created_at.replace(/\D/g, '')
    expect(slug).toBe(`say-tidy-the-retry-loop-${digits.slice(0, 8)}-${digits.slice(8, 12)}`)
  })

  test('a session without a title gets the reason of its failure as title when it fails', async () => {
    const { title, slug } = await titled(await create('fail for want of coffee'))
    expect(title).toBe('for want of coffee')
    expect(slug).toMatch(/^for-want-of-coffee-/)
  })

  test('a session without a title gets a title after two minutes even while its first turn runs', async () => {
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    const running = { ...placeholder, status: 'running', prompt: 'Mend it. Now.' }
    const old = await insertSession(app.pool, { ...running, created_at: minutesAgo(3) })
    const young = await insertSession(app.pool, { ...running, created_at: minutesAgo(1) })
    await Promise.all([titleOverdueSessions(app.host.app), titleOverdueSessions(app.host.app)])
    expect(await titled(old)).toMatchObject({ title: 'Mend it' })
    expect(await findDemo(app, young)).toMatchObject({ title: 'Session 1', slug: null })
  })

  test('a session without a title keeps its placeholder until it has a prompt', async () => {
    const id = await insertSession(app.pool, { ...placeholder, status: 'needs_input' })
    await titleOverdueSessions(app.host.app)
    expect(await findDemo(app, id)).toMatchObject({ title: 'Session 1', slug: null })
  })

  test('a session without a title keeps a slug that the caller set', async () => {
    const id = await insertSession(app.pool, { ...placeholder, status: 'needs_input', prompt: 'Go', slug: 'mine' })
    await titleOverdueSessions(app.host.app)
    expect(await titled(id)).toMatchObject({ title: 'Go', slug: 'mine' })
  })

  test('a session without a title gets a title without the credentials in its prompt', async () => {
    const prompt = `use ghp_${'a1B2'.repeat(9)} to push`
    const id = await insertSession(app.pool, { ...placeholder, status: 'needs_input', prompt })
    await titleOverdueSessions(app.host.app)
    expect((await titled(id)).title).toContain('[REDACTED:')
  })
})

test('a title that a person writes while one is generated is never overwritten', async () => {
  const id = await insertSession(app.pool, { ...placeholder, status: 'needs_input', prompt: 'Mend it' })
  const person = await app.pool.connect()
  await person.query('begin')
  await person.query("update sessions set title = 'Mine', metadata = '{}' where id = $1", [id])
  const giving = titleOverdueSessions(app.host.app)
  const waiting = async () =>
    (
      await app.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
    ).rowCount
  // The host's own periodic run may have come first; then the person's update follows it.
  await Promise.race([giving, eventually(waiting, (count) => count !== 0)])
  await person.query('commit')
  person.release()
  await giving
  expect(await findDemo(app, id)).toMatchObject({ title: 'Mine' })
})

test('a session that comes to rest is titled by a durable subscription', async () => {
  const { db, metrics } = app.host.app
  const id = await create('say hello')
  await titled(id)

  await eventually(
    async () => (await listSubscriptions(db)).find(({ name }) => name === 'title_sessions_at_rest'),
    (status) => status?.events_behind === 0,
  )
  expect(await metrics.registry.metrics()).toMatch(
    /yardmaster_subscription_events_total\{subscription="title_sessions_at_rest",outcome="handled",host="[^"]+"\} [1-9]/,
  )
})

describe('titleFromPrompt', () => {
  test.each([
    ['Fix it. Then rest.', 'Fix it'],
    ['Fix v1.2 of the parser! Now', 'Fix v1.2 of the parser'],
    ['Why does it fail?', 'Why does it fail'],
    ['  one line\nanother', 'one line'],
    ['...', '...'],
    ['. . .', '. . .'],
    ['', ''],
    ['x'.repeat(60), 'x'.repeat(60)],
    ['x'.repeat(61), `${'x'.repeat(57)}...`],
    ['🚂'.repeat(61), `${'🚂'.repeat(57)}...`],
    [`attachment:${'0a'.repeat(12)}/shot.png: why is it red?`, 'shot.png: why is it red'],
  ])('titleFromPrompt makes of the prompt %j the title %j', (prompt, title) => {
    expect(titleFromPrompt(prompt)).toBe(title)
  })
})

describe('titleFromFailure', () => {
  test.each([
    [{ exit_status: 'It broke.\nBadly.', failure_reason: 'crash' }, 'It broke.'],
    [{ failure_reason: 'git_clone_failed' }, 'Failed: git clone failed'],
    [{}, 'Failed'],
    [{ exit_status: 'y'.repeat(101) }, `${'y'.repeat(97)}...`],
  ])('titleFromFailure makes of the metadata %j the title %j', (metadata, title) => {
    expect(titleFromFailure(metadata)).toBe(title)
  })
})
