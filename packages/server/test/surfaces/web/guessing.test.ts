import { expect, test } from 'vitest'
import { testApp, testKey } from '../../support/app/app.ts'
import { dashboardBrowser } from '../../support/http/dashboard-browser.ts'

const app = testApp({ environment: { ROLE: 'web', SUPERVISOR_PASSWORD: 'the right password' } })

test('after 20 wrong keys or links from one address the next ones are answered 429, and a right key still signs in', async () => {
  const browser = dashboardBrowser(app)
  for (let number = 0; number < 10; number += 1) {
    expect((await browser.post('/web/session', { key: `wrong ${number}` })).status).toBe(401)
    expect((await browser.post('/web/session', { key: `yml_wrong${number}` })).status).toBe(401)
  }
  const refused = await browser.post('/web/session', { key: 'wrong again' })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await browser.post('/web/session', { key: testKey })).status).toBe(201)
})

test("after 20 wrong passwords the operator's is not compared any more", async () => {
  const browser = dashboardBrowser(app)
  await browser.post('/web/session', { key: testKey })
  for (let number = 0; number < 20; number += 1)
    expect((await browser.post('/web/session/operator', { password: `wrong ${number}` })).status).toBe(401)
  expect((await browser.post('/web/session/operator', { password: 'the right password' })).status).toBe(429)
})
