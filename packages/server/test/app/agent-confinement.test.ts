import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openAgentConfinement } from '../../src/app/agent-confinement.ts'
import { readConfig } from '../../src/app/config.ts'
import { openHome } from '../../src/platform/home/home.ts'
import { runCommand } from '../../src/platform/process/run-command.ts'
import { recordedLog } from '../support/log/recorded-log.ts'

async function opened(variables: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-start-'))
  const home = await openHome(join(folder, 'home'))
  onTestFinished(async () => {
    await home.release()
    await rm(folder, { recursive: true, force: true })
  })
  return { home, ...(await openAgentConfinement(readConfig(variables), { home, hidden: [] })) }
}

/** What a start says about agents. */
async function sentences(variables: Record<string, string>): Promise<string[]> {
  const { log, records } = recordedLog()
  const { report } = await opened(variables)
  report(log)
  return records().map(({ msg }) => msg)
}

const isRoot = process.geteuid?.() === 0

describe('the start of a server', () => {
  test('says what confines agents', async () => {
    expect(await sentences({ AGENT_CONFINEMENT: 'off' })).toContain('Agents are not confined (AGENT_CONFINEMENT=off).')
  })

  test.runIf(isRoot)('as root says that it should not be, and names the user of agents', async () => {
    const said = await sentences({})
    expect(said).toContain('Yardmaster runs as root and should not: give it a user of its own')
    expect(said).toContainEqual(expect.stringMatching(/^agents run as the user yardmaster-agent \(\d+\)$/))
  })

  test.runIf(isRoot)('says that agents are root at the word of the operator', async () => {
    expect(await sentences({ AGENT_USER: 'root' })).toContain(
      'agents run as root (AGENT_USER=root): this machine is their only sandbox',
    )
  })

  test.runIf(isRoot)('names each folder above the home that it opened for plain agents', async () => {
    expect(await sentences({ AGENT_CONFINEMENT: 'off' })).toContainEqual(
      expect.stringMatching(/^the group of yardmaster-agent may now pass through .*yardmaster-start-\w+, because/),
    )
  })

  test.runIf(isRoot).each(['no-such-user', '0', '65534', '-u', '--', 'daemon:x'])(
    'refuses the AGENT_USER "%s", which is no name of a user',
    async (name) => {
      await expect(sentences({ AGENT_USER: name })).rejects.toThrow('is no user of this machine')
    },
  )

  test.runIf(isRoot)('refuses the user of the database as AGENT_USER', async () => {
    await expect(sentences({ AGENT_USER: 'yardmaster-postgres' })).rejects.toThrow('the user of the database')
  })

  test.runIf(isRoot)('lets plain agents pass through its folders, and confined agents of other homes not', async () => {
    const { home: closed, confinement } = await opened({ AGENT_CONFINEMENT: 'auto' })
    expect((await stat(closed.in('clones'))).mode & 0o777).toBe(confinement.mechanism === 'none' ? 0o711 : 0o700)
    const { home } = await opened({ AGENT_CONFINEMENT: 'off' })
    expect((await stat(home.in('clones'))).mode & 0o777).toBe(0o711)
  })

  test('hides the sockets of the service manager of its user', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'yardmaster-runtime-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'systemd'))
    for (const name of ['bus', 'systemd/private', 'other']) await writeFile(join(folder, name), 'reached ')
    await chmod(folder, 0o755)
    vi.stubEnv('XDG_RUNTIME_DIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { confinement, home } = await opened({})
    const work = home.in('clones')
    const script = `cat ${folder}/bus ${folder}/systemd/* ${folder}/other`
    const program = { command: 'sh', args: ['-c', script], cwd: '/', env: { PATH: process.env.PATH ?? '' } }
    const confined = await confinement.confine({ work, home: work })(program)
    const { stdout } = await runCommand({ ...confined, timeoutMs: 30_000, maxOutputBytes: 1000 })
    expect(stdout).toBe(confinement.mechanism === 'none' ? 'reached reached reached ' : 'reached ')
  })

  test('refuses an AGENT_USER that only root could change to', async () => {
    vi.spyOn(process, 'geteuid').mockReturnValue(1000)
    onTestFinished(() => void vi.restoreAllMocks())
    await expect(sentences({ AGENT_USER: 'daemon' })).rejects.toThrow('AGENT_USER needs a Yardmaster that runs as root')
  })
})
