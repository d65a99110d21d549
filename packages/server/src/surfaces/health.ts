import { setTimeout as wait } from 'node:timers/promises'
import * as contract from '@yardmaster/contract/health/endpoints'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { App } from '../domain/app.ts'
import {
  archiveOldSessions,
  cleanUpProcesses,
  exportDiagnostics,
  retrySessions,
  runPostDeployTasks,
  showHealth,
  webAsker as web,
  withCooldown,
  withoutNames,
} from '../domain/maintenance/maintenance.ts'
import {
  discardQueuedJobs,
  enterRecoveryMode,
  exitRecoveryMode,
  rescheduleQueuedJobs,
} from '../domain/queues/queues.ts'
import type { KeyCheck } from '../platform/http/key-check.ts'
import type { OperatorRealm } from '../platform/http/operator-realm.ts'
import { sendPage, wantsPage } from '../platform/http/pages.ts'
import { bodyOf } from '../platform/http/request-body.ts'
import { healthPage } from './health-page.ts'

const by = web.surface

type Action = {
  auth: 'operator' | 'none'
  /** What was done, for the person who pressed the button. */
  run(app: App, request: FastifyRequest): Promise<{ body: object; done: number }>
}

/** The same operations as below `/api/v1/health`. Leaving recovery mode needs no password: it only lets work go on. */
const actions: Record<string, Action> = {
  cleanup_processes: {
    auth: 'operator',
    run: async (app) => {
      const body = await withCooldown(app, 'cleanup_processes', web, () => cleanUpProcesses(app))
      return { body, done: body.terminated.length }
    },
  },
  retry_sessions: {
    auth: 'operator',
    run: async (app, request) => {
      const { session_ids: ids } = bodyOf(request, contract.retrySessions.body)
      const body = await withCooldown(app, 'retry_sessions', web, () => retrySessions(app, ids))
      return { body, done: body.retried.length }
    },
  },
  archive_old: {
    auth: 'operator',
    run: async (app, request) => {
      const { days } = bodyOf(request, contract.archiveOld.body)
      const body = await withCooldown(app, 'archive_old', web, () => archiveOldSessions(app, days))
      return { body, done: body.archived.length }
    },
  },
  enter_queue_recovery_mode: {
    auth: 'operator',
    run: async (app, request) => {
      const { ttl_minutes: ttlMinutes, reason } = bodyOf(request, contract.enterQueueRecoveryMode.body)
      return { body: await enterRecoveryMode(app, { ttlMinutes, reason, by }), done: ttlMinutes }
    },
  },
  exit_queue_recovery_mode: {
    auth: 'none',
    run: async (app) => ({ body: await exitRecoveryMode(app), done: 0 }),
  },
  run_post_deploy_tasks: {
    auth: 'operator',
    run: async (app) => {
      const body = await runPostDeployTasks(app)
      return { body, done: body.rearmed }
    },
  },
  discard_queued_jobs: {
    auth: 'operator',
    run: async (app, request) => {
      const body = await discardQueuedJobs(app, changeOf(bodyOf(request, contract.discardQueuedJobs.body)))
      return { body, done: body.affected }
    },
  },
  reschedule_queued_jobs: {
    auth: 'operator',
    run: async (app, request) => {
      const asked = bodyOf(request, contract.rescheduleQueuedJobs.body)
      const body = await rescheduleQueuedJobs(app, { ...changeOf(asked), delayMinutes: asked.delay_minutes })
      return { body, done: body.affected }
    },
  },
}

/** The names of those that need the operator's password on this page. */
export const operatorActions = Object.keys(actions).filter((name) => actions[name]?.auth === 'operator')

type Doors = { keys: KeyCheck; realm: OperatorRealm }

/**
 * The health report for people, and the actions on it. Reading is open to everyone who can reach the server; the names of
 * sessions and repositories are for those who show a key or the operator's password.
 */
export function registerHealth(server: FastifyInstance, app: App, doors: Doors): void {
  const open = { config: { auth: 'none', isPage: true } } as const
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const known = isKnown(request, doors)
    const report = await showHealth(app)
    const health = (await known) ? report : withoutNames(report)
    if (!wantsPage(request)) return reply.send(health)
    return sendPage(reply, healthPage(health, { query: request.query, hasPauses: app.hasPauses }))
  }
  server.get('/health', open, show)
  server.get('/health/refresh', open, show)
  server.get('/health/export_diagnostics', open, async (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('content-disposition', 'attachment; filename="yardmaster-diagnostics.json"')
      .send(await exportDiagnostics(app)),
  )
  for (const [name, { auth, run }] of Object.entries(actions)) {
    server.post(`/health/${name}`, { config: { auth, isPage: true } }, async (request, reply) => {
      const { body, done } = await run(app, request)
      return wantsPage(request) ? reply.redirect(`/health?did=${name}&count=${done}`, 303) : reply.send(body)
    })
  }
}

/** A key is looked up while the report is made, and in the time that a section of it has. */
const lookupMs = 1500

/**
 * A wrong key or password reads what those without one read, and counts as a guess. So does a key that cannot be looked up in time:
 * the report answers while the database does not.
 */
async function isKnown({ headers, ip }: FastifyRequest, { keys, realm }: Doors): Promise<boolean> {
  try {
    if (realm.accepts(headers.authorization, ip)) return true
    if (headers['x-api-key'] === undefined) return false
    const limit = wait(lookupMs, undefined, { ref: false })
    return (await Promise.race([keys.find(headers['x-api-key'], ip), limit])) !== undefined
  } catch {
    return false
  }
}

type ChangeBody = z.output<typeof contract.discardQueuedJobs.body>

function changeOf({ job_class, queue_name, expected_count: expectedCount, reason }: ChangeBody) {
  return { scope: { job_class, queue_name }, expectedCount, reason, by }
}
