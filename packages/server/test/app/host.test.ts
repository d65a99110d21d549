import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Host, startHost } from '../../src/app/compose.ts'
import { readConfig } from '../../src/app/config.ts'
import { welcome } from '../../src/app/welcome.ts'
import { client, sampleRepository, testMasterKey } from '../support/app/app.ts'
import { testDatabase } from '../support/database/database.ts'
import { silentLog } from '../support/log/silent-log.ts'
import { testFolder } from '../support/processes/server-process.ts'
import { atRest, startDemo } from '../support/sessions/demo-session.ts'

async function start(home: string, environment: Record<string, string>): Promise<Host & { url: string }> {
  const shared = { PORT: '0', YARDMASTER_HOME: home, YARDMASTER_MASTER_KEY: testMasterKey }
  const config = readConfig({ ...shared, ...environment })
  const host = await startHost(config, { log: silentLog })
  onTestFinished(host.stop)
  return { ...host, url: host.web?.url ?? '' }
}

test('by ROLE, one host serves requests and another runs jobs', async () => {
  const folder = await testFolder()
  const environment = { DATABASE_URL: (await testDatabase()).url, API_KEYS: 'ours' }
  const web = await start(join(folder, 'web'), { ...environment, ROLE: 'web' })
  const worker = await start(join(folder, 'worker'), { ...environment, ROLE: 'worker' })
  expect(worker.web).toBeUndefined()
  expect(await welcome(worker)).toMatch(/^Yardmaster \S+ is working \(host \S+\)\.$/)

  const api = client(web.url, 'ours')
  const git_root = await sampleRepository(join(folder, 'repository'))
  const { id } = await startDemo(api, { git_root, lines: ['say hi'] })
  const session = await atRest(api, id)
  expect(session.status).toBe('needs_input')
  expect(session.metadata.clone_path).toContain(join(folder, 'worker'))
})

describe('API_KEYS', () => {
  test.each([
    {
      given: 'one, other,,',
      accepted: ['one', 'other'],
      refused: ['', 'one, other', 'third'],
      line: /those of API_KEYS/,
    },
    { given: '', accepted: [], refused: ['', ' ', ',', 'ours'], line: /none, because API_KEYS is blank/ },
    { given: ' , ', accepted: [], refused: ['', ' ', ',', 'ours'], line: /none, because API_KEYS is blank/ },
  ])('set to "$given", accepts exactly its keys', async ({ given, accepted, refused, line }) => {
    const environment = { DATABASE_URL: (await testDatabase()).url, API_KEYS: given, ROLE: 'web' }
    const host = await start(join(await testFolder(), 'home'), environment)
    const statusWith = async (key: string) => (await client(host.url, key).get('/categories')).status
    for (const key of accepted) expect(await statusWith(key)).toBe(200)
    for (const key of refused) expect(await statusWith(key)).toBe(401)
    expect(await welcome(host)).toMatch(line)
  })
})
