import { afterAll } from 'vitest'
import { modules } from '../../../src/app/modules.ts'
import { pollChat } from '../../../src/domain/chat/poll-chat.ts'
import { pollForge } from '../../../src/domain/forge/poll-forge.ts'
import type { RunResult } from '../../../src/platform/jobs/periodic.ts'
import { recordOperation } from '../app/operation-coverage.ts'
import { newTrigger, type TriggerApp, triggerApp } from '../triggers/trigger-app.ts'
import { type ChatServer, signedByChat, startChatServer } from './chat-server.ts'
import { type ForgeServer, signedByForge, startForgeServer } from './forge-server.ts'

type WebhookAnswer = { status: number; body: Record<string, unknown> }

/** An app beside stand-ins for both platforms. Polls and jobs run only when the test says so, unless the role is `all`. */
export type PlatformApp = TriggerApp & {
  chat: ChatServer
  forge: ForgeServer
  /** Creates a trigger with one condition. */
  watch(conditionType: string, configuration: object, more?: Record<string, unknown>): Promise<number>
  pollChat(): Promise<RunResult>
  pollForge(): Promise<RunResult>
  /** Sends an event as the platform does, and returns the answer. */
  sendChat(event: object, about?: Parameters<typeof signedByChat>[1]): Promise<WebhookAnswer>
  sendForge(event: object, about: Parameters<typeof signedByForge>[1]): Promise<WebhookAnswer>
  /** Performs the jobs that webhooks have stored, in order. */
  performJobs(): Promise<void>
  /** The prompts of the sessions that the trigger started, oldest first. */
  promptsOf(triggerId: number): Promise<string[]>
}

export async function platformApp(
  options: { role?: 'web' | 'all'; environment?: Record<string, string> } = {},
): Promise<PlatformApp> {
  const [chat, forge] = await Promise.all([startChatServer(), startForgeServer()])
  afterAll(() => Promise.all([chat.close(), forge.close()]))
  const environment = { ...chat.environment, ...forge.environment, ...options.environment }
  const app = (await triggerApp({ ...options, environment })) as PlatformApp // completed below
  const never = new AbortController().signal
  const send = async (path: string, body: string, headers: Record<string, string>): Promise<WebhookAnswer> => {
    const response = await app.send(`/api/v1${path}`, { method: 'POST', body, headers })
    if (response.ok) recordOperation(path.slice(1).replace('/', '.'))
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  return Object.assign(app, {
    chat,
    forge,
    watch: async (conditionType, configuration, more = {}) => {
      const conditions = [{ condition_type: conditionType, configuration }]
      const template = { prompt_template: 'say {{text|raw}}', trigger_conditions_attributes: conditions }
      const answer = await app.post('/triggers', newTrigger({ ...template, ...more }))
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body.trigger.id
    },
    pollChat: () => pollChat(app.host.app, never),
    pollForge: () => pollForge(app.host.app, never),
    sendChat: (event, about) => {
      const body = JSON.stringify(event)
      return send('/webhooks/chat', body, signedByChat(body, about))
    },
    sendForge: (event, about) => {
      const body = JSON.stringify(event)
      return send('/webhooks/forge', body, signedByForge(body, about))
    },
    performJobs: async () => {
      const handlers = modules.flatMap((module) => module.handlers ?? [])
      const { rows } = await app.pool.query(
        `delete from graphile_worker._private_jobs as jobs
         using graphile_worker._private_tasks as tasks
         where tasks.id = jobs.task_id and tasks.identifier = any($1)
         returning jobs.id, tasks.identifier, jobs.payload`,
        [['receive_chat_message', 'receive_forge_event', 'follow_pull_requests']],
      )
      for (const { identifier, payload } of rows.toSorted((one, other) => Number(one.id) - Number(other.id)))
        await handlers.find(({ job }) => job.name === identifier)?.perform(payload, app.host.app)
    },
    promptsOf: async (triggerId) => {
      const { rows } = await app.pool.query(
        "select prompt from sessions where metadata ->> 'trigger_id' = $1 order by id",
        [String(triggerId)],
      )
      return rows.map(({ prompt }) => prompt)
    },
  } satisfies Partial<PlatformApp>)
}
