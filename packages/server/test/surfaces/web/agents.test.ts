import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { welcome } from '../../../src/app/welcome.ts'
import { sampleRepository, testApp } from '../../support/app/app.ts'
import { dashboardBrowser } from '../../support/http/dashboard-browser.ts'
import { atRest, startDemo, textOf } from '../../support/sessions/demo-session.ts'

const app = testApp({ environment: { AGENT_CONFINEMENT: 'required' } })

/** Matches the text, and not itself where it is written. */
const pattern = (text: string) => `[${text.slice(0, 1)}]${text.slice(1)}`

test('an agent finds no cookie, link or hash in its environment and files, and the dashboard answers it 401', async () => {
  const used = /yml_[\w-]+/.exec(await welcome(app.host))?.[0] ?? ''
  const unused = /yml_[\w-]+/.exec(await welcome(app.host))?.[0] ?? ''
  const browser = dashboardBrowser(app)
  await browser.post('/web/session', { key: used })
  const token = browser.cookie.split('=')[1] ?? ''
  const { rows } = await app.pool.query(`select encode(token_hash, 'hex') as hash from sign_ins`)
  const secrets = [token, used, unused, rows[0].hash]
  // What is on the machine and not ours, the agent sees: so the search does find what is there.
  await writeFile(join(app.shared, 'seen'), token)

  const wanted = `"${secrets.map(pattern).join('|')}"`
  const call = (options: string) => `curl -s -o /dev/null -w "%{http_code} " ${options}`
  const forged = '-H "Sec-Fetch-Site: same-origin" -H "Content-Type: application/json"'
  const git_root = await sampleRepository(join(app.shared, 'repository'))
  const { id } = await startDemo(app, {
    git_root,
    lines: [
      `run echo environment $(cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep -cE ${wanted})`,
      `run echo files $(grep -rslE ${wanted} ${app.shared} "$HOME" . | sort -u) end`,
      `run ${call(`${app.url}/web/session`)}; ${call(`${app.url}/web/v1/sessions`)}; ${call(`${app.url}/web/v1/events`)}; ${call(`${forged} -d "{}" ${app.url}/web/v1/elicitations/1/respond`)}; ${call(`${forged} -d "{\\"key\\":\\"ymt_x\\"}" ${app.url}${browser.at('/web/session')}`)}; ${call(`-H "Host: evil.test" ${app.url}/web/session`)}`,
    ],
  })
  await atRest(app, id)
  const text = await textOf(app, id)
  expect(text).toContain('environment 0')
  expect(text).toContain(`files ${join(app.shared, 'seen')} end`)
  expect(text).toContain('401 401 401 401 401 421')
})
