import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isKept, makeLink } from '../../src/app/link.ts'
import { welcome } from '../../src/app/welcome.ts'
import { testApp, testKey } from '../support/app/app.ts'
import { dashboardBrowser } from '../support/http/dashboard-browser.ts'
import { recordedLog } from '../support/log/recorded-log.ts'

const { log, lines } = recordedLog('trace')
const app = testApp({ environment: { ROLE: 'web' }, log })
const secretOf = (text: string) => /#k=(yml_[\w-]+)/.exec(text)?.[1] ?? ''
const environment = () => ({ YARDMASTER_HOME: app.home, API_KEYS: testKey })

describe('npm run link', () => {
  test('npm run link prints a link to the running server that signs in once', async () => {
    const link = await makeLink(environment())
    expect(link).toMatch(new RegExp(`^${app.url}/#k=yml_[\\w-]{72}$`))
    const key = secretOf(link)
    expect((await dashboardBrowser(app).post('/web/session', { key })).status).toBe(201)
    expect((await dashboardBrowser(app).post('/web/session', { key })).status).toBe(401)
    expect(secretOf(await makeLink(environment()))).not.toBe(key)
  })

  test('a link that is made without the key of the server signs no one in', async () => {
    const key = secretOf(await makeLink({ ...environment(), API_KEYS: 'a guess' }))
    expect((await dashboardBrowser(app).post('/web/session', { key })).status).toBe(401)
  })

  test('npm run link says what is missing', async () => {
    await expect(makeLink({ ...environment(), YARDMASTER_HOME: join(app.shared, 'nothing') })).rejects.toThrow(
      /was not started on the home/,
    )
    await expect(makeLink({ ...environment(), API_KEYS: '' })).rejects.toThrow(/there is no API key/)
    expect(await makeLink({ ...environment(), WEB_AUTH: 'none' })).toBe(app.url)
  })
})

describe('the welcome', () => {
  test('the welcome ends with a link that signs in, which no log has', async () => {
    const key = secretOf(await welcome(app.host))
    expect((await dashboardBrowser(app).post('/web/session', { key })).status).toBe(201)
    expect(lines().join('\n')).not.toContain(key)
    expect(lines().join('\n')).not.toContain('yml_')
  })

  test('a welcome that is kept in a file has no link', async () => {
    const kept = await welcome(app.host, { isLogged: true })
    expect(kept).not.toContain('yml_')
    expect(kept).toContain(`Dashboard: ${app.url}/ (npm run link prints a link that signs you in)`)
  })

  test('output to a file or to the journal is kept, output to a pipe or a terminal is not', async () => {
    const file = await open(join(app.shared, 'output'), 'w')
    expect(isKept(file.fd, {})).toBe(true)
    await file.close()
    const terminal = await open('/dev/null', 'w')
    expect(isKept(terminal.fd, {})).toBe(false)
    expect(isKept(terminal.fd, { JOURNAL_STREAM: '8:1' })).toBe(true)
    await terminal.close()
  })
})
