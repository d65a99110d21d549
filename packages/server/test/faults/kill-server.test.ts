import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { recoveryPrompt } from '../../src/domain/lifecycle/recovery-prompt.ts'
import { type ProcessIdentity, processTable } from '../../src/platform/process/process-table.ts'
import { sampleRepository } from '../support/app/app.ts'
import { testDatabase } from '../support/database/database.ts'
import {
  processesOf,
  type ServerProcess,
  startServer,
  stillRunning,
  testFolder,
} from '../support/processes/server-process.ts'
import { atRest, entriesOf, startDemo } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

type Yard = { folder: string; git_root: string; pool: pg.Pool; start(role?: string): Promise<ServerProcess> }

async function openYard(): Promise<Yard> {
  const folder = await testFolder()
  await mkdir(join(folder, 'effects'))
  const git_root = await sampleRepository(join(folder, 'repository'))
  const { url, pool } = await testDatabase()
  const start = (ROLE = 'all') =>
    startServer({ home: join(folder, 'home'), environment: { DATABASE_URL: url, API_KEYS: 'ours', ROLE } })
  return { folder, git_root, pool, start }
}

type Worker = { id: number; prompt: string; effects(): Promise<string[]> }

/** A session whose turn leaves marks outside the clone: where nobody takes one back. */
async function putToWork({ folder, git_root }: Yard, server: ServerProcess, name: string): Promise<Worker> {
  const file = join(folder, 'effects', name)
  const lines = [`run echo begin >> ${file}`, 'sleep 1', `run echo end >> ${file}`]
  const { id } = await startDemo(server, { git_root, lines })
  const effects = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return { id, prompt: lines.join('\n'), effects }
}

/** Whatever became of it: it rests, the agent got its prompt once, nothing was done twice and nothing stored twice. */
async function expectSettled(server: ServerProcess, { id, prompt, effects }: Worker): Promise<void> {
  expect(await atRest(server, id)).toMatchObject({ status: 'needs_input', running_job_id: null })
  const entries = await entriesOf(server, id)
  const contents = entries.map(({ message }) => message.content)
  expect(contents.filter((content) => content === prompt)).toHaveLength(1)
  const uuids = entries.map(({ uuid }) => uuid)
  expect(new Set(uuids).size).toBe(uuids.length)
  const marks = await effects()
  expect(marks).toEqual(['begin', 'end'].slice(0, marks.length))
  // A turn that was not told to go on was not cut short either.
  if (!contents.includes(recoveryPrompt)) expect(marks).toEqual(['begin', 'end'])
}

async function workersOf(server: ServerProcess): Promise<ProcessIdentity[]> {
  const pids = (await processesOf(server.home)).filter((pid) => pid !== server.pid)
  return (await Promise.all(pids.map((pid) => processTable().identify(pid)))).filter((one) => one !== undefined)
}

/** A small generator, so that the moments are arbitrary and the same in every run. */
function momentsMs(seed: number, count: number, upToMs: number): number[] {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * upToMs)
  })
}

test('killed at any moment, it comes back, ends the old agents and settles every session', async () => {
  const yard = await openYard()
  const accepting = await yard.start('web')
  const accepted = await putToWork(yard, accepting, 'accepted')
  await accepting.kill()
  expect(await accepted.effects()).toEqual([])

  let server = await yard.start()
  await expectSettled(server, accepted)
  expect(await accepted.effects()).toEqual(['begin', 'end'])

  for (const [round, momentMs] of momentsMs(20_251_115, 3, 1500).entries()) {
    const workers: Worker[] = []
    for (const name of ['a', 'b', 'c']) {
      workers.push(await putToWork(yard, server, `${round}${name}`))
      await wait(momentMs / 3)
    }
    // The first round is in the midst of a turn for sure, whatever the machine is doing besides.
    const [first] = workers
    if (round === 0)
      await eventually(
        async () => first?.effects(),
        (marks) => marks?.[0] === 'begin',
      )
    const agents = await workersOf(server)
    await server.kill()

    server = await yard.start()
    expect(await stillRunning(agents)).toEqual([])
    for (const worker of workers) await expectSettled(server, worker)
  }
  const { rows } = await yard.pool.query(`select * from turns where state <> 'ended'`)
  expect(rows).toEqual([])
}, 120_000)
