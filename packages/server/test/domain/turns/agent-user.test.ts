import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sampleRepository, startTestApp, type TestApp, testApp } from '../../support/app/app.ts'
import { atRest, entriesOf, startDemo } from '../../support/sessions/demo-session.ts'

const app = testApp()
let git_root = ''

beforeAll(async () => {
  git_root = await sampleRepository(join(app.shared, 'repository'))
})

/** What the demo agent's shell prints for the command. */
async function output(host: TestApp, command: string, id?: number): Promise<{ id: number; text: string }> {
  const lines = [`run ${command}`]
  const session = id ?? (await startDemo(host, { git_root, lines })).id
  if (id !== undefined) await host.post(`/sessions/${id}/follow_up`, { prompt: lines.join('\n') })
  expect(await atRest(host, session)).toMatchObject({ status: 'needs_input' })
  const results = (await entriesOf(host, session)).flatMap(({ message }) =>
    Array.isArray(message.content) ? message.content : [],
  )
  return { id: session, text: results.at(-1)?.content?.trim() }
}

const ownerOf = async (path: string) => (await stat(path)).uid
const uidOf = (name: string) => Number(execFileSync('id', ['-u', name], { encoding: 'utf8' }))

async function another(environment: Record<string, string>): Promise<TestApp> {
  const { app: started, stop } = await startTestApp({ environment })
  onTestFinished(stop)
  return started
}

/** Only root can start programs as another user. */
describe.runIf(process.geteuid?.() === 0)('a server that runs as root', () => {
  test('runs agents as a system user of their own, to whom the clone and the home belong', async () => {
    const { id, text } = await output(app, 'id -un; touch new; stat -c %U . README.md .git/config "$HOME" | sort -u')
    expect(text).toBe('yardmaster-agent\nyardmaster-agent')
    expect(await ownerOf(join(app.home, 'clones', `session-${id}`, 'new'))).toBe(uidOf('yardmaster-agent'))
  })

  test('gives agents no capabilities and no groups of its own', async () => {
    const { text } = await output(app, 'grep -E "CapEff|CapBnd|Groups" /proc/self/status')
    expect(text).toMatch(/Groups:\s*(\d+ ?)?\nCapEff:\s*0+\nCapBnd:\s*0+$/)
  })

  test('hands over a clone that an earlier version made as root', async () => {
    const { id } = await output(app, 'true')
    const clone = join(app.home, 'clones', `session-${id}`)
    execFileSync('chown', ['-R', '0:0', clone, join(app.home, 'runtimes', `session-${id}`)])
    const { text } = await output(app, 'echo changed > README.md && git status --short', id)
    expect(text).toBe('M README.md')
  })

  test('works with a home whose parents only root may enter', async () => {
    const closed = await mkdtemp(join(tmpdir(), 'yardmaster-closed-'))
    onTestFinished(() => rm(closed, { recursive: true, force: true }))
    const host = await another({ YARDMASTER_HOME: join(closed, 'home') })
    const { text } = await output(host, 'pwd && git log --oneline | wc -l && echo kept > "$HOME/kept" && id -un')
    expect(text).toMatch(new RegExp(`^${closed}/home/clones/session-\\d+\n1\nyardmaster-agent$`))
  })

  test('lets plain agents, and no other users, pass through parents that only root may enter, and says so', async () => {
    const closed = await mkdtemp(join(tmpdir(), 'yardmaster-closed-'))
    onTestFinished(() => rm(closed, { recursive: true, force: true }))
    const host = await another({ YARDMASTER_HOME: join(closed, 'home'), AGENT_CONFINEMENT: 'off' })
    const { text } = await output(host, `git log --oneline | wc -l && id -un; ls ${closed} ${closed}/home`)
    expect(text).toMatch(/^1\nyardmaster-agent\n.*Permission denied\n.*Permission denied$/)
    const { mode, gid } = await stat(closed)
    expect([mode & 0o777, gid]).toEqual([0o710, Number(execFileSync('id', ['-g', 'yardmaster-agent']))])
  })

  test('refuses to start when plain agents could not reach their folders', async () => {
    const closed = await mkdtemp(join(tmpdir(), 'yardmaster-closed-'))
    onTestFinished(() => rm(closed, { recursive: true, force: true }))
    await chmod(closed, 0o750)
    await expect(
      startTestApp({ environment: { YARDMASTER_HOME: join(closed, 'home'), AGENT_CONFINEMENT: 'off' } }),
    ).rejects.toThrow('Agents run as the user yardmaster-agent, who cannot pass through the folders above')
  })

  test('runs agents as the user that AGENT_USER names, confined or not', async () => {
    const host = await another({ AGENT_USER: 'daemon', AGENT_CONFINEMENT: 'off' })
    expect((await output(host, 'id -un; stat -c %U . "$HOME"; touch new "$HOME/new"')).text).toBe(
      'daemon\ndaemon\ndaemon',
    )
  })

  test('runs agents as root only at the word of the operator', async () => {
    const host = await another({ AGENT_USER: 'root' })
    expect((await output(host, 'id -un; echo "$IS_SANDBOX"')).text).toBe('root')
  })

  test('refuses to start with an AGENT_USER that is unknown', async () => {
    await expect(startTestApp({ environment: { AGENT_USER: 'no-such-user' } })).rejects.toThrow(
      'AGENT_USER names no-such-user, which is no user of this machine.',
    )
  })

  test('deletes a session with the files that its agent made unreadable', async () => {
    const { id } = await output(app, 'mkdir deep && touch deep/file && chmod 0 deep')
    expect((await app.delete(`/sessions/${id}`)).status).toBe(204)
    await expect.poll(() => stat(join(app.home, 'clones', `session-${id}`)).catch(() => 'gone')).toBe('gone')
  })
})
