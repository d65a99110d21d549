import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { processTable } from '../../src/platform/process/process-table.ts'
import { sampleRepository } from '../support/app/app.ts'
import { processesOf, type ServerProcess, startServer, testFolder } from '../support/processes/server-process.ts'
import { atRest, entriesOf, startDemo, waitForStatus } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

const creates = 100
const callers = 6

test('keeps every answered write and recovers every turn after kill -9 of the embedded database, then of the server', async () => {
  const folder = await testFolder()
  const git_root = await sampleRepository(join(folder, 'repository'))
  const home = join(folder, 'home')
  const server = await startServer({ home })

  const watched = await startDemo(server, { git_root, lines: ['say before', 'sleep 2', 'say after'] })
  await waitForStatus(server, watched.id, 'running')
  const statuses = new Set<number>()
  const accepted: { id: number; hasPrompt: boolean }[] = []
  let sent = 0
  const call = async (): Promise<void> => {
    while (sent < creates) {
      sent += 1
      const hasPrompt = sent % 20 === 0
      const { status, body } = await server.post('/sessions', { git_root, ...(hasPrompt && { prompt: 'say hello' }) })
      statuses.add(status)
      if (status === 201) accepted.push({ id: body.session.id, hasPrompt })
      if (status === 503) await wait(50)
    }
  }
  const calls = Promise.all(Array.from({ length: callers }, call))
  await eventually(
    async () => accepted.length,
    (count) => count >= creates / 4,
  )
  process.kill(await postmasterOf(home), 'SIGKILL')
  await calls

  expect([201, 503]).toEqual(expect.arrayContaining([...statuses]))
  await eventually(
    () => server.post('/categories', { name: `After ${Date.now()}` }),
    ({ status }) => status === 201,
  )
  for (const { id, hasPrompt } of accepted) {
    expect((await server.get(`/sessions/${id}`)).status).toBe(200)
    if (hasPrompt) expect((await atRest(server, id)).status).toBe('needs_input')
  }
  expect((await atRest(server, watched.id)).status).toBe('needs_input')
  expect(textsIn(await entriesOf(server, watched.id))).toEqual(['before', 'after'])

  // Then kill the server while an agent runs; the database keeps running.
  const last = await startDemo(server, { git_root, lines: ['say begun', 'sleep 120'] })
  await waitForStatus(server, last.id, 'running')
  const oldDatabase = await processTable().identify(await postmasterOf(home))
  await server.kill()
  if (!oldDatabase) throw new Error('the database is not running')
  expect(await processTable().isRunning(oldDatabase)).toBe(true)

  const next = await startServer({ home })
  expect(await processTable().isRunning(oldDatabase)).toBe(false)
  expect((await atRest(next, last.id)).status).toBe('needs_input')
  await expectAll(next, [...accepted.map(({ id }) => id), watched.id, last.id])
  expect(await next.stop()).toEqual({ code: 0, signal: null })
  expect(await processesOf(home)).toEqual([])
}, 120_000)

async function postmasterOf(home: string): Promise<number> {
  return Number((await readFile(join(home, 'postgres/data/postmaster.pid'), 'utf8')).split('\n', 1)[0])
}

function textsIn(entries: { type: string; message: { content: { text: string }[] } }[]): string[] {
  return entries.filter(({ type }) => type === 'assistant').flatMap(({ message }) => message.content.map((b) => b.text))
}

async function expectAll(server: ServerProcess, ids: readonly number[]): Promise<void> {
  const answers = await Promise.all(ids.map((id) => server.get(`/sessions/${id}`)))
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
}
