import { beforeEach, describe, expect, test } from 'vitest'
import { signInKeys } from '../../../src/domain/sign-ins/sign-in.ts'
import { expectProblem, testApp, testKey } from '../../support/app/app.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { dashboardBrowser, signedIn } from '../../support/http/dashboard-browser.ts'

const app = testApp({ environment: { ROLE: 'web', API_KEYS: `${testKey},another-key` } })
const address = '/web/session'
const makeLink = (key = testKey, now = new Date()) => signInKeys([key]).makeLink(now) ?? ''
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

beforeEach(() => emptyTables(app.pool, 'sign_ins', 'used_sign_in_links', 'people'))

describe('a one-time link', () => {
  test('a one-time link signs a browser in once, and says so to the second', async () => {
    const key = makeLink()
    const browser = dashboardBrowser(app)
    expect((await browser.post(address, { key })).body.session).toMatchObject({ signed_in_by: 'link' })
    expect((await browser.get(address)).status).toBe(200)
    expectProblem(
      await dashboardBrowser(app).post(address, { key }),
      401,
      'Unauthorized',
      'This link was used before, and works once. Run npm run link where the server runs for another, or sign in with an API key.',
    )
  })

  test('of ten browsers that use one link at the same time, one is signed in', async () => {
    const key = makeLink()
    const answers = await Promise.all(Array.from({ length: 10 }, () => dashboardBrowser(app).post(address, { key })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(401)])
    expect((await app.pool.query('select id from sign_ins')).rows).toHaveLength(1)
  })

  test('a one-time link signs in a browser whose earlier sign-in ends at the same moment', async () => {
    const browser = await signedIn(app)
    const earlier = browser.cookie
    const elsewhere = await app.pool.connect()
    try {
      await elsewhere.query('begin')
      await elsewhere.query('delete from sign_ins')
      const answer = browser.post(address, { key: makeLink() })
      await expect
        .poll(async () => {
          const { rows } = await app.pool.query(
            `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and query like '%sign_ins%'`,
          )
          return rows[0].count
        })
        .toBeGreaterThan(0)
      await elsewhere.query('commit')
      expect((await answer).status).toBe(201)
    } finally {
      elsewhere.release()
    }
    expect(browser.cookie).not.toBe(earlier)
    expect((await browser.get(address)).status).toBe(200)
  })

  test('one link written in another way is the same link', async () => {
    const key = makeLink()
    await dashboardBrowser(app).post(address, { key })
    for (const again of [`${key}=`, `${key}\n`, ` ${key}`.trim()])
      expect((await dashboardBrowser(app).post(address, { key: again })).status).toBe(401)
    expect((await app.pool.query('select id from sign_ins')).rows).toHaveLength(1)
  })

  test('a link ends after five minutes, and says so', async () => {
    const { body } = await dashboardBrowser(app).post(address, { key: makeLink(testKey, minutesAgo(6)) })
    expect(body.message).toMatch(/^This link has expired\. /)
    expect((await dashboardBrowser(app).post(address, { key: makeLink(testKey, minutesAgo(4)) })).status).toBe(201)
  })

  test('a link that another key made, or that was changed or cut, signs no one in', async () => {
    const link = makeLink()
    for (const key of [
      makeLink('not-a-key'),
      link.slice(0, -1),
      `${link}AAAA`,
      link.replace(/.$/, (end) => (end === 'A' ? 'Q' : 'A')),
      'yml_',
    ])
      expect((await dashboardBrowser(app).post(address, { key })).status).toBe(401)
    expect((await app.pool.query('select id from sign_ins')).rows).toEqual([])
  })
})
