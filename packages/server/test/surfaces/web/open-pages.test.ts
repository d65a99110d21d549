import { describe, expect, test } from 'vitest'
import { welcome } from '../../../src/app/welcome.ts'
import { testApp, testKey } from '../../support/app/app.ts'
import { healthReport } from '../../support/app/health-report.ts'
import { dashboardBrowser } from '../../support/http/dashboard-browser.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'

const { log, records } = recordedLog()
const app = testApp({ environment: { ROLE: 'web', WEB_AUTH: 'none', SUPERVISOR_PASSWORD: 'open sesame' }, log })
const sentence =
  'WEB_AUTH is none: everyone who can reach this server can do everything on the dashboard, agents on this machine included'

describe('WEB_AUTH=none', () => {
  test('WEB_AUTH=none opens the dashboard without a cookie, and says so in the session, the health report, the log and the welcome', async () => {
    const browser = dashboardBrowser(app)
    expect((await browser.get('/web/v1/sessions')).status).toBe(200)
    expect((await browser.get('/web/session')).body.session).toMatchObject({
      id: null,
      name: null,
      signed_in_by: 'none',
      web_auth: 'none',
    })
    const health_report = await healthReport(app)
    expect(health_report.web_auth).toEqual({
      mode: 'none',
      status: { status: 'warning', code: 'web_auth_none', message: sentence },
    })
    expect(records().map(({ msg }) => msg)).toContain(sentence)
    expect(await welcome(app.host)).toContain(
      `Dashboard: ${app.url}/ (open to everyone who can reach it: WEB_AUTH is none)`,
    )
  })

  test('WEB_AUTH=none still refuses what another site makes a browser send', async () => {
    const answer = await app.send('/web/v1/categories', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } })
    expect(answer.status).toBe(403)
  })

  test('a browser on open pages can give a name, and can sign in', async () => {
    const browser = dashboardBrowser(app)
    const named = await browser.call('PATCH', '/web/session', { body: { name: 'Ada' } })
    expect(named.body.session).toMatchObject({ name: 'Ada', signed_in_by: 'none' })
    const { session } = (await browser.get('/web/session')).body
    // The name is an event itself.
    expect(session).toEqual({ ...named.body.session, last_event_id: session.last_event_id })
    await browser.post('/web/session', { key: testKey })
    expect((await browser.get('/web/session')).body.session).toMatchObject({ name: null, signed_in_by: 'key' })
  })

  test("on open pages the actions of the health page need the operator's password or a key", async () => {
    const browser = dashboardBrowser(app)
    const act = async () => (await browser.post('/web/v1/health/run_post_deploy_tasks')).status
    expect(await act()).toBe(401)
    expect((await browser.post('/web/v1/health/exit_queue_recovery_mode')).status).toBe(200)
    expect((await browser.post('/web/session/operator', { password: 'open sesame' })).body.session.operator).toBe(true)
    expect(await act()).toBe(200)
    await browser.call('DELETE', '/web/session')
    expect(await act()).toBe(401)
    await browser.post('/web/session', { key: testKey })
    expect(await act()).toBe(200)
    expect((await dashboardBrowser(app).get('/jobs')).status).toBe(401)
  })

  test('the API still needs its key', async () => {
    expect((await app.send('/api/v1/sessions')).status).toBe(401)
  })
})
