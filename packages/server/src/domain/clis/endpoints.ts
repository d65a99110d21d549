import { CliReport, QueuedCacheClearing, QueuedCliRefresh } from '@yardmaster/contract/clis/fields'
import { ok } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { cliStatus, enqueueOnEveryHost } from './clis.ts'
import { checkClisJob, clearPackageCachesJob } from './clis-jobs.ts'

const tag = 'CLIs'

export const endpoints = [
  defineEndpoint({
    method: 'GET',
    path: '/clis/status',
    tag,
    summary: "Show which agents' programs are installed and signed in",
    description: 'From the last look of a host that runs turns. No model is called for it, and no vendor asked.',
    answers: { 200: CliReport },
    handle: async (_request, app) => {
      const status = await cliStatus(app)
      return ok({ cli_status: status, unauthenticated_count: status.unauthenticated_count })
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/clis/refresh',
    tag,
    summary: "Look at the agents' programs again",
    answers: { 200: QueuedCliRefresh },
    handle: async (_request, app) => {
      await enqueueOnEveryHost(app, checkClisJob)
      return ok({
        queued: true as const,
        message: 'CLI status refresh queued',
        current_status: await cliStatus(app),
      })
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/clis/clear_cache',
    tag,
    summary: 'Forget the packages that MCP servers were started from',
    description: 'The next start of such a server fetches its package anew.',
    answers: { 200: QueuedCacheClearing },
    handle: async (_request, app) => {
      await enqueueOnEveryHost(app, clearPackageCachesJob)
      return ok({ queued: true as const, message: 'Package cache clearing queued on every host that runs turns' })
    },
  }),
]
