import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openAgentConfinement } from '../../src/app/agent-confinement.ts'
import { readConfig } from '../../src/app/config.ts'
import { openHome } from '../../src/platform/home/home.ts'
import { recordedLog } from '../support/log/recorded-log.ts'

/** What a start says about agents. */
async function sentences(variables: Record<string, string>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-start-'))
  const home = await openHome(join(folder, 'home'))
  onTestFinished(async () => {
    await home.release()
    await rm(folder, { recursive: true, force: true })
  })
  const { log, records } = recordedLog()
  const { report } = await openAgentConfinement(readConfig(variables), { home, hidden: [] })
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

  test('refuses an AGENT_USER that only root could change to', async () => {
    vi.spyOn(process, 'geteuid').mockReturnValue(1000)
    onTestFinished(() => void vi.restoreAllMocks())
    await expect(sentences({ AGENT_USER: 'daemon' })).rejects.toThrow('AGENT_USER needs a Yardmaster that runs as root')
  })
})
