import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { sampleRepository, testApp } from '../../support/app/app.ts'
import { atRest, entriesOf, startDemo } from '../../support/sessions/demo-session.ts'

const app = testApp({ environment: { AGENT_CONFINEMENT: 'required' } })
let git_root = ''

beforeAll(async () => {
  git_root = await sampleRepository(join(app.shared, 'repository'))
  await writeFile(join(app.home, 'api-key'), 'the-key-of-the-server\n', { mode: 0o600 })
})

/** What the demo agent's shell prints for each command. */
async function outputs(...commands: string[]): Promise<string[]> {
  const { id } = await startDemo(app, { git_root, lines: commands.map((command) => `run ${command}`) })
  expect((await atRest(app, id)).status).toBe('needs_input')
  const results = (await entriesOf(app, id)).flatMap(({ type, message }) =>
    type === 'user' && Array.isArray(message.content) ? message.content : [],
  )
  return results.map(({ content }: { content: string }) => content.trim())
}

describe('an agent', () => {
  test('an agent reads no key file, no other session, no environment of the server and no database socket', async () => {
    const other = await startDemo(app, { git_root, lines: ['write secret-of-the-other hidden words'] })
    await atRest(app, other.id)
    const socket = new URL(app.databaseUrl).searchParams.get('host') ?? ''
    const [key, files, environment, connected] = await outputs(
      `cat ${app.home}/api-key`,
      `find ${app.home} ../.. "$HOME"/../.. -name "secret-of*" -o -name "session-${other.id}*"; echo searched`,
      `cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep -c VITEST_WORKER_ID`,
      `node -e "require('net').connect('${socket}/.s.PGSQL.5432').on('error', (e) => console.log(e.code)).on('connect', () => console.log('connected'))"`,
    )
    expect(key).toContain('No such file')
    expect(files).toBe('searched')
    expect(environment).toBe('0')
    expect(connected).toMatch(/^(ENOTSOCK|ECONNREFUSED|ENOENT|EACCES)$/)
  })

  test('an agent works in its clone and its own home, and sees the rest of the host', async () => {
    const [status, tools] = await outputs(
      'git status --short && touch "$HOME/kept" && ls "$HOME/kept" README.md',
      `ls ${app.shared}/repository && command -v node`,
    )
    expect(status).toMatch(/kept\nREADME.md|README.md\n.*kept/)
    expect(tools).toContain('README.md')
  })

  test('an agent has what confines it in the log of its session', async () => {
    const { id } = await startDemo(app, { git_root, lines: ['say hello'] })
    await atRest(app, id)
    const { body } = await app.get(`/sessions/${id}/logs`)
    expect(JSON.stringify(body)).toContain('Agents are confined by')
  })
})
