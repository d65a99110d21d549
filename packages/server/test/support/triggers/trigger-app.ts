import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { sampleRepository, type TestApp, testApp } from '../app/app.ts'
import { catalogOnDisk } from '../app/catalog-app.ts'
import { hook, skill } from '../app/catalog-folder.ts'

const stdio = { type: 'stdio', command: 'node' }

export type TriggerApp = TestApp & {
  /** Creates a trigger on the root `lab`; without conditions it is only fired by hand. */
  trigger(more?: Record<string, unknown>): Promise<number>
  invoke(id: number, variables?: Record<string, unknown>): ReturnType<TestApp['post']>
  fires(id: number): Promise<Record<string, unknown>[]>
  show(id: number): Promise<Record<string, unknown>>
  session(id: number): Promise<Record<string, unknown>>
  setStatus(sessionId: number, status: string): Promise<void>
}

/** A schedule that is never due while a test runs. */
export const yearly = {
  condition_type: 'schedule',
  configuration: { scheduled_at: '2040-01-01T00:00:00', timezone: 'UTC' },
}
export const daily = {
  condition_type: 'schedule',
  configuration: { unit: 'days', interval: 1, time: '03:00', timezone: 'Europe/Vilnius' },
}

/**
 * An app with a catalog whose root `lab` runs the demo agent. With the role `web` nothing happens by itself, so that a test
 * decides when a schedule is looked at; sessions stay `waiting`.
 */
export async function triggerApp({
  role = 'web',
  environment = {},
}: {
  role?: 'web' | 'all'
  environment?: Record<string, string>
} = {}): Promise<TriggerApp> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-triggers-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const repository = await sampleRepository(join(folder, 'repository'))
  const catalog = await catalogOnDisk({
    'roots.json': {
      lab: {
        description: 'A laboratory.',
        url: repository,
        default_runtime: 'demo',
        default_mcp_servers: ['tracker'],
        default_skills: ['tidy'],
      },
      other: { description: 'Another one.', url: '/srv/other', default_runtime: 'demo' },
    },
    'mcp.json': {
      tracker: { ...stdio, description: 'Issues.' },
      search: { ...stdio, description: 'Search.' },
      dead: { ...stdio, unavailable: 'Retired' },
    },
    'skills.json': { tidy: { title: 'Tidy', description: 'Tidies.', path: 'skills/workflow/tidy' } },
    'hooks.json': { format: { description: 'Formats.', path: 'hooks/format' } },
    'plugins.json': { kit: { description: 'A kit.', version: '1.0.0' } },
    ...skill('tidy'),
    ...hook('format'),
  })
  const app = testApp({
    environment: { CATALOG_PATH: join(catalog, 'air.json'), ROLE: role, ...environment },
  }) as TriggerApp // completed below
  return Object.assign(app, {
    trigger: async (more = {}) => {
      const answer = await app.post('/triggers', newTrigger(more))
      expect(answer).toMatchObject({ status: 201 })
      return answer.body.trigger.id
    },
    invoke: (id, variables) => app.post(`/triggers/${id}/invoke`, variables === undefined ? {} : { variables }),
    fires: async (id) => (await app.get(`/triggers/${id}/fires`)).body.fires,
    show: async (id) => (await app.get(`/triggers/${id}`)).body.trigger,
    session: async (id) => (await app.get(`/sessions/${id}`)).body.session,
    setStatus: async (sessionId, status) => {
      await app.pool.query(
        `update sessions
         set status = $2, archived_at = case when $2 = 'archived' then now() end
         where id = $1`,
        [sessionId, status],
      )
    },
  } satisfies Partial<TriggerApp>)
}

export function newTrigger(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Sweep',
    agent_root_name: 'lab',
    prompt_template: 'say {{text}}',
    trigger_conditions_attributes: [daily],
    ...more,
  }
}
