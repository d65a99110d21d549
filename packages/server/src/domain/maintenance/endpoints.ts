import * as contract from '@yardmaster/contract/health/endpoints'
import { ok } from '../../platform/http/answer.ts'
import type { EndpointRequest } from '../../platform/http/endpoint.ts'
import { bind } from '../app.ts'
import {
  countQueuedJobs,
  discardQueuedJobs,
  enterRecoveryMode,
  exitRecoveryMode,
  rescheduleQueuedJobs,
  showRecoveryMode,
} from '../queues/queues.ts'
import { archiveOldSessions, cleanUpProcesses, retrySessions } from './actions.ts'
import { type Asker, webAsker, withCooldown } from './cooldown.ts'
import { runPostDeployTasks } from './post-deploy-tasks.ts'
import { showHealth } from './report.ts'

export const endpoints = [
  bind(contract.showHealth, async (_request, app) => ok(await showHealth(app))),
  bind(contract.cleanUpProcesses, async (request, app) =>
    ok(await withCooldown(app, 'cleanup_processes', askerOf(request), () => cleanUpProcesses(app))),
  ),
  bind(contract.retrySessions, async (request, app) => {
    const { session_ids: ids } = request.body
    return ok(await withCooldown(app, 'retry_sessions', askerOf(request), () => retrySessions(app, ids)))
  }),
  bind(contract.archiveOld, async (request, app) => {
    const { days } = request.body
    return ok(await withCooldown(app, 'archive_old', askerOf(request), () => archiveOldSessions(app, days)))
  }),
  bind(contract.showQueueRecoveryMode, async (_request, app) => ok(await showRecoveryMode(app, app.db))),
  bind(contract.enterQueueRecoveryMode, async (request, app) => {
    const { ttl_minutes: ttlMinutes, reason } = request.body
    return ok(await enterRecoveryMode(app, { ttlMinutes, reason, by: askerOf(request).surface }))
  }),
  bind(contract.exitQueueRecoveryMode, async (_request, app) => ok(await exitRecoveryMode(app))),
  bind(contract.countQueuedJobs, async ({ query }, app) => ok(await countQueuedJobs(app, query))),
  bind(contract.discardQueuedJobs, async (request, app) => ok(await discardQueuedJobs(app, changeOf(request)))),
  bind(contract.rescheduleQueuedJobs, async (request, app) => {
    const { delay_minutes: delayMinutes } = request.body
    return ok(await rescheduleQueuedJobs(app, { ...changeOf(request), delayMinutes }))
  }),
  bind(contract.runPostDeployTasks, async (_request, app) => ok(await runPostDeployTasks(app))),
]

type Asking = Pick<EndpointRequest<unknown, unknown, unknown, unknown>, 'headers' | 'isTool' | 'browser'>

/** The key that was presented: a tool call has the same one, so both share a cooldown. Browsers share that of the health page. */
function askerOf({ headers, isTool, browser }: Asking): Asker {
  if (browser) return webAsker
  return { surface: isTool ? 'MCP' : 'REST API', key: String(headers['x-api-key'] ?? '') }
}

type ChangeBody = {
  job_class: string | undefined
  queue_name: string | undefined
  expected_count?: unknown
  reason: string | undefined
}

function changeOf(request: Asking & { readonly body: ChangeBody }) {
  const { job_class, queue_name, expected_count: expectedCount, reason } = request.body
  return { scope: { job_class, queue_name }, expectedCount, reason, by: askerOf(request).surface }
}
