import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { recoveryPrompt } from '../../src/domain/lifecycle/recovery-prompt.ts'
import { sampleRepository } from '../support/app/app.ts'
import { testDatabase } from '../support/database/database.ts'
import { newSleep, toolRunning } from '../support/processes/by-command.ts'
import {
  processesOf,
  type ServerProcess,
  startServer,
  stillRunning,
  testFolder,
} from '../support/processes/server-process.ts'
import { atRest, entriesOf, textOf } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'
import { type Agent, agents, agentsEnvironment } from './support/agents.ts'
import { modelServer } from './support/model-server.ts'

// A real server process that is killed in the middle of its agents' turns, and where provider keys end up.

const model = modelServer()
const key = 'canary-key-b7c1f04e9d'

type Yard = { folder: string; git_root: string; pool: pg.Pool; start(): Promise<ServerProcess> }

async function openYard(): Promise<Yard> {
  const folder = await testFolder()
  const git_root = await sampleRepository(join(folder, 'repository'))
  const { url, pool } = await testDatabase()
  const environment = {
    ...(await agentsEnvironment(folder, { modelUrl: model.url, key })),
    DATABASE_URL: url,
    API_KEYS: 'ours',
    LOG_LEVEL: 'debug',
    ...(process.env.AGENT_CONFINEMENT && { AGENT_CONFINEMENT: process.env.AGENT_CONFINEMENT }),
    AGENT_PATHS: join(folder, 'secret'),
  }
  return { folder, git_root, pool, start: () => startServer({ home: join(folder, 'home'), environment }) }
}

async function begin(server: ServerProcess, git_root: string, { runtime, model: id }: Agent, prompt: string) {
  const answer = await server.post('/sessions', { git_root, agent_runtime: runtime, config: { model: id }, prompt })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.session.id as number
}

async function say(server: ServerProcess, id: number, prompt: string): Promise<void> {
  expect(await server.post(`/sessions/${id}/follow_up`, { prompt })).toMatchObject({ status: 200 })
}

function toldWith(words: string, besides: string): string | undefined {
  const request = model.requests.findLast(
    ({ prompt, isSideCall, body }) => !isSideCall && prompt.includes(words) && JSON.stringify(body).includes(besides),
  )
  return request && JSON.stringify(request.body)
}

test('a server killed in the middle of turns restarts and ends the old agents before they call the model again, and every agent continues its conversation', async () => {
  const yard = await openYard()
  const first = await yard.start()
  const sessions: { id: number; name: string; sleep: string; prompt: string }[] = []
  for (const agent of agents) {
    const name = `plover-${agent.runtime}`
    const id = await begin(first, yard.git_root, agent, `say The word is ${name}`)
    expect(await atRest(first, id)).toMatchObject({ status: 'needs_input' })
    const sleep = newSleep()
    sessions.push({ id, name, sleep, prompt: `run echo ran >> mark; exec ${sleep}\nsay Never` })
  }
  for (const { id, prompt } of sessions) await say(first, id, prompt)
  const tools = []
  for (const { sleep } of sessions) tools.push(await toolRunning(sleep))
  for (const { id, sleep } of sessions) {
    await eventually(
      () => textOf(first, id),
      (text) => text.includes(sleep),
    )
  }
  await first.kill()
  const callsBefore = model.requests.length

  const second = await yard.start()
  expect(await stillRunning(tools)).toEqual([])
  for (const { id, name, sleep, prompt } of sessions) {
    expect(await atRest(second, id)).toMatchObject({ status: 'needs_input', running_job_id: null })
    expect((await readFile(inClone(yard, id, 'mark'), 'utf8')).split('\n')).toHaveLength(2)
    expect(toldWith('[Automated message from Yardmaster', name), name).toContain(sleep)
    await say(second, id, `say After the crash of ${name}`)
    expect(await atRest(second, id)).toMatchObject({ status: 'needs_input' })

    const text = await textOf(second, id)
    for (const said of [
      `The word is ${name}\n`,
      `User ---\n${prompt}\n`,
      recoveryPrompt,
      `After the crash of ${name}\n`,
    ])
      expect(text.split(said).length, `${name}: ${said}`).toBeGreaterThan(1)
    expect(text.split(`User ---\n${prompt}\n`)).toHaveLength(2)
    expect(text.split(`User ---\n${recoveryPrompt}\n`)).toHaveLength(2)
    const entries = (await entriesOf(second, id)).map((entry) => JSON.stringify(entry))
    expect(new Set(entries).size).toBe(entries.length)
  }
  // An agent that is asked to stop calls the model with the result of its aborted tool, under the old prompt.
  const later = model.requests.slice(callsBefore).flatMap(({ isSideCall, prompt }) => (isSideCall ? [] : [prompt]))
  expect(later.filter((prompt) => sessions.some(({ sleep }) => prompt.includes(sleep)))).toEqual([])
  const { rows } = await yard.pool.query(
    'select session_id::int, source, state, outcome from turns order by session_id, sequence',
  )
  expect(rows).toEqual(
    sessions.flatMap(({ id: session_id }) => [
      { session_id, source: 'create', state: 'ended', outcome: 'completed' },
      { session_id, source: 'follow_up', state: 'ended', outcome: 'interrupted' },
      { session_id, source: 'recovery', state: 'ended', outcome: 'completed' },
      { session_id, source: 'follow_up', state: 'ended', outcome: 'completed' },
    ]),
  )
  await second.stop()
  expect(await processesOf(second.home)).toEqual([])
}, 300_000)

test("no provider key is in the database or the log, or visible to the tools of the vendors' agents", async () => {
  const yard = await openYard()
  const server = await yard.start()
  // Prompts are stored unredacted, so the agents have to find the key themselves.
  const secret = join(yard.folder, 'secret')
  await writeFile(secret, `The key is ${key}\n`)
  for (const agent of agents) {
    const prompt = `run env > environment; cat ${secret}; env\nsay Done`
    const id = await begin(server, yard.git_root, agent, prompt)
    expect(await atRest(server, id)).toMatchObject({ status: 'needs_input' })
    // Only the two vendor drivers keep the key from tools; an ACP agent may pass it on.
    const environment = await written(inClone(yard, id, 'environment'))
    expect(environment).toContain('YARDMASTER_RUN=')
    if (agent.runtime !== 'claude-acp') expect(environment).not.toContain(key)
    const text = await textOf(server, id)
    expect(text).toContain('The key is [REDACTED')
  }
  expect(await textsWith(yard.pool, key)).toEqual([])
  await server.stop()
  expect(server.output.stderr()).not.toContain(key)
  expect(server.output.stdout()).not.toContain(key)
}, 300_000)

function inClone({ folder }: Yard, id: number, name: string): string {
  return join(folder, 'home', 'clones', `session-${id}`, name)
}

async function written(path: string): Promise<string> {
  return eventually(
    () => readFile(path, 'utf8').catch(() => ''),
    (text) => text.endsWith('\n'),
  )
}

/** Every text column of every table that contains this text. */
async function textsWith(pool: pg.Pool, words: string): Promise<string[]> {
  const { rows: columns } = await pool.query<{ place: string; found: string }>(
    `select table_schema || '.' || table_name || '.' || column_name as place,
            format('select 1 from %I.%I where strpos(%I::text, $1) > 0 limit 1', table_schema, table_name, column_name) as found
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const places: string[] = []
  for (const { place, found } of columns) {
    const { rowCount } = await pool.query(found, [words])
    if (rowCount) places.push(place)
  }
  return places
}
