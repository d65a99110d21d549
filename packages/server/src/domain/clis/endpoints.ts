import * as contract from '@yardmaster/contract/clis/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { cliStatus, enqueueOnEveryHost } from './clis.ts'
import { checkClisJob, clearPackageCachesJob } from './clis-jobs.ts'

export const endpoints = [
  bind(contract.showCliStatus, async (_request, app) => {
    const status = await cliStatus(app)
    return ok({ cli_status: status, unauthenticated_count: status.unauthenticated_count })
  }),
  bind(contract.refreshClis, async (_request, app) => {
    await enqueueOnEveryHost(app, checkClisJob)
    return ok({
      queued: true as const,
      message: 'CLI status refresh queued',
      current_status: await cliStatus(app),
    })
  }),
  bind(contract.clearCliCaches, async (_request, app) => {
    await enqueueOnEveryHost(app, clearPackageCachesJob)
    return ok({ queued: true as const, message: 'Package cache clearing queued on every host that runs turns' })
  }),
]
