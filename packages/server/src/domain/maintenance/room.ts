import { serveCall } from '../../platform/jobs/host-call.ts'
import { deleteOldCounts } from '../../platform/jobs/job-counts.ts'
import type { Periodic } from '../../platform/jobs/periodic.ts'
import { type App, handleJob, prune, type Room } from '../app.ts'
import { cleanUpProcessesJob } from './clean-up-processes-job.ts'
import { discardForgottenJobs } from './discard-forgotten-jobs.ts'
import { endpoints } from './endpoints.ts'
import { reportHost } from './host-report.ts'
import { deleteOldReports } from './host-report-store.ts'
import { workOnTasks } from './post-deploy-tasks.ts'
import { endOrphans } from './processes.ts'
import { runPostDeployTasksJob } from './run-post-deploy-tasks-job.ts'
import { tools } from './tools.ts'
import { watchHealth } from './watch-health.ts'

/** In the queue that recovery mode leaves running: what people need to see and to leave it must go on. */
function always(name: string, timing: Pick<Periodic<App>, 'intervalMs' | 'runs'>, work: (app: App) => Promise<void>) {
  const run = async (app: App) => {
    await work(app)
    return 'done' as const
  }
  return { name, queue: 'agents', ...timing, run } as const
}

const periodic: readonly Periodic<App>[] = [
  always('report_host_health', { intervalMs: 15_000, runs: 'every_host' }, reportHost),
  always('store_job_counts', { intervalMs: 5000, runs: 'every_host' }, ({ jobCounts, db }) => jobCounts.store(db)),
  always('watch_health', { intervalMs: 120_000, runs: 'one_host' }, watchHealth),
  {
    name: 'post_deploy_tasks',
    queue: 'maintenance',
    intervalMs: 120_000,
    runs: 'one_host',
    run: (app, signal) => workOnTasks(app, signal),
  },
  prune({
    name: 'prune_job_counts',
    keeps: 'snapshots',
    deleteSome: ({ db }, slice) => deleteOldCounts(db, slice),
  }),
  prune({
    name: 'prune_host_reports',
    keeps: { days: 7 },
    deleteSome: ({ db }, slice) => deleteOldReports(db, slice),
  }),
]

export const maintenance: Room = {
  name: 'maintenance',
  endpoints,
  tools,
  jobs: [cleanUpProcessesJob, runPostDeployTasksJob],
  handlers: [
    handleJob(cleanUpProcessesJob, ({ callId }, app) => serveCall(app, callId, () => endOrphans(app))),
    handleJob(runPostDeployTasksJob, async (_payload, app) => {
      // A later slice is due at the next tick of the periodic task.
      await workOnTasks(app, AbortSignal.timeout(90_000))
    }),
  ],
  periodic,
  oneTimeTasks: [discardForgottenJobs],
}
