import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Answer, sampleRepository, startTestApp, type TestApp } from '../../support/app/app.ts'
import { type ModelServer, type RecordedRequest, startModelServer } from '../../support/model-server/model-server.ts'
import { atRest, entriesOf } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'
import { type Agent, agentsEnvironment } from './agents.ts'

export type AgentYard = {
  app: TestApp
  model: ModelServer
  /** Starts a session and returns while it runs. */
  begin(agent: Agent, prompt: string, more?: Record<string, unknown>): Promise<number>
  /** Runs a session until it rests in `needs_input`. */
  work(agent: Agent, prompt: string, more?: Record<string, unknown>): Promise<number>
  /** Sends a follow-up and waits until the session rests. */
  say(id: number, prompt: string): Promise<Answer['body']>
  /** Restarts a failed session. */
  restart(id: number): Promise<Answer['body']>
  /** The last model request whose conversation contains this text. */
  asked(words: string): RecordedRequest | undefined
  /** The whole body of that request. */
  toldWith(words: string): string
  isAsked(words: string): Promise<void>
  rows(sql: string, id: number): Promise<Record<string, unknown>[]>
  logs(id: number): Promise<string>
}

type Options = {
  key?: string
  environment?: (folder: string) => Promise<Record<string, string>>
  /** A certificate that the server trusts. */
  trustedAuthority?: string
}

/** A whole server with every real agent and a scripted model, for one test file. */
export function agentYard(options: Options = {}): AgentYard {
  const { key = 'scripted-key', environment = async () => ({}), trustedAuthority } = options
  const app = {} as TestApp // both are filled before the first test runs
  const model = {} as ModelServer
  let repository = ''
  let stop: () => Promise<void> = async () => undefined
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'yardmaster-agents-'))
    Object.assign(model, await startModelServer())
    const started = await startTestApp({
      environment: {
        ...(await agentsEnvironment(folder, { modelUrl: model.url, key })),
        ...(await environment(folder)),
      },
      ...(trustedAuthority !== undefined && { trustedAuthority }),
    })
    Object.assign(app, started.app)
    repository = await sampleRepository(join(folder, 'repository'))
    stop = async () => {
      await started.stop()
      await model.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })
  afterAll(() => stop())

  const begin: AgentYard['begin'] = async ({ runtime, model: id }, prompt, more = {}) => {
    const order = { git_root: repository, agent_runtime: runtime, config: { model: id }, prompt, ...more }
    const answer = await app.post('/sessions', order)
    expect(answer).toMatchObject({ status: 201 })
    return answer.body.session.id
  }
  const asked: AgentYard['asked'] = (words) =>
    model.requests.findLast(({ prompt, isSideCall }) => !isSideCall && prompt.includes(words))
  const rows: AgentYard['rows'] = async (sql, id) => (await app.pool.query(sql, [id])).rows
  return {
    app,
    model,
    begin,
    work: async (agent, prompt, more) => {
      const id = await begin(agent, prompt, more)
      expect(await atRest(app, id)).toMatchObject({ status: 'needs_input' })
      return id
    },
    say: async (id, prompt) => {
      expect(await app.post(`/sessions/${id}/follow_up`, { prompt })).toMatchObject({ status: 200 })
      return atRest(app, id)
    },
    restart: async (id) => {
      expect(await app.post(`/sessions/${id}/restart`)).toMatchObject({ status: 200 })
      return atRest(app, id)
    },
    asked,
    toldWith: (words) => JSON.stringify(asked(words)?.body),
    isAsked: async (words) => {
      await eventually(
        async () => asked(words)?.prompt,
        (prompt) => prompt !== undefined,
      )
    },
    rows,
    logs: async (id) => {
      const lines = await rows('select content from session_logs where session_id = $1 order by id', id)
      return lines.map(({ content }) => content).join('\n')
    },
  }
}

/** Expects that no entry is stored twice. Texts may repeat; entries differ by their time or id. */
export async function expectNothingDoubled(app: TestApp, id: number): Promise<void> {
  const entries = (await entriesOf(app, id)).map((entry) => JSON.stringify(entry))
  expect(entries.filter((entry, index) => entries.indexOf(entry) !== index)).toEqual([])
}
