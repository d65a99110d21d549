import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { recoveryPrompt } from '../../src/domain/lifecycle/recovery-prompt.ts'
import type { ProcessIdentity } from '../../src/platform/process/process-table.ts'
import { sampleRepository } from '../support/app/app.ts'
import { testDatabase } from '../support/database/database.ts'
import { makeShared } from '../support/files/shared-folder.ts'
import {
  identify,
  processesOf,
  type ServerProcess,
  startServer,
  stillRunning,
  testFolder,
} from '../support/processes/server-process.ts'
import { atRest, entriesOf, startDemo } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

type Setup = { folder: string; git_root: string; pool: pg.Pool; start(role?: string): Promise<ServerProcess> }

async function openSetup(): Promise<Setup> {
  const folder = await testFolder()
  await makeShared(join(folder, 'effects'))
  const git_root = await sampleRepository(join(folder, 'repository'))
  const { url, pool } = await testDatabase()
  const start = (ROLE = 'all') =>
    startServer({ home: join(folder, 'home'), environment: { DATABASE_URL: url, API_KEYS: 'ours', ROLE } })
  return { folder, git_root, pool, start }
}

type Worker = { id: number; prompt: string; effects(): Promise<string[]> }

/** Starts a session whose turn appends its begin and end to a file outside the clone. */
async function startWork({ folder, git_root }: Setup, server: ServerProcess, name: string): Promise<Worker> {
  const file = join(folder, 'effects', name)
  const lines = [`run echo begin >> ${file}`, 'sleep 1', `run echo end >> ${file}`]
  const { id } = await startDemo(server, { git_root, lines })
  const effects = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return { id, prompt: lines.join('\n'), effects }
}

/** Expects the session at rest, with its prompt delivered once, no work repeated and no entry stored twice. */
async function expectSettled(server: ServerProcess, { id, prompt, effects }: Worker): Promise<void> {
  expect(await atRest(server, id)).toMatchObject({ status: 'needs_input', running_job_id: null })
  const entries = await entriesOf(server, id)
  const contents = entries.map(({ message }) => message.content)
  expect(contents.filter((content) => content === prompt)).toHaveLength(1)
  const uuids = entries.map(({ uuid }) => uuid)
  expect(new Set(uuids).size).toBe(uuids.length)
  const marks = await effects()
  expect(marks).toEqual(['begin', 'end'].slice(0, marks.length))
  // Without a recovery prompt the turn was not interrupted, so it finished.
  if (!contents.includes(recoveryPrompt)) expect(marks).toEqual(['begin', 'end'])
}

async function childrenOf(server: ServerProcess): Promise<ProcessIdentity[]> {
  return identify((await processesOf(server.home)).filter((pid) => pid !== server.pid))
}

test('after kill -9 before and during turns, the next start kills the old agents and settles every session', async () => {
  const setup = await openSetup()
  const accepting = await setup.start('web')
  const accepted = await startWork(setup, accepting, 'accepted')
  await accepting.kill()
  expect(await accepted.effects()).toEqual([])

  let server = await setup.start()
  await expectSettled(server, accepted)
  expect(await accepted.effects()).toEqual(['begin', 'end'])

  const workers: Worker[] = []
  for (const name of ['a', 'b', 'c']) workers.push(await startWork(setup, server, name))
  const [first] = workers
  await eventually(
    async () => first?.effects(),
    (marks) => marks?.[0] === 'begin',
  )
  const agents = await childrenOf(server)
  await server.kill()

  server = await setup.start()
  expect(await stillRunning(agents)).toEqual([])
  for (const worker of workers) await expectSettled(server, worker)
  const { rows } = await setup.pool.query(`select * from turns where state <> 'ended'`)
  expect(rows).toEqual([])
})
