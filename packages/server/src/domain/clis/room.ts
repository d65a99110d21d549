import { handleJob, prune, type Room } from '../app.ts'
import { checkClis, clearPackageCaches } from './clis.ts'
import { checkClisJob, clearPackageCachesJob } from './clis-jobs.ts'
import { endpoints } from './endpoints.ts'
import { deleteOldReports } from './report-store.ts'

export const clis: Room = {
  name: 'clis',
  endpoints,
  jobs: [checkClisJob, clearPackageCachesJob],
  handlers: [
    handleJob(checkClisJob, (_payload, app) => checkClis(app)),
    handleJob(clearPackageCachesJob, (_payload, app) => clearPackageCaches(app)),
  ],
  periodic: [
    {
      name: 'check_clis',
      queue: 'maintenance',
      intervalMs: 120_000,
      runs: 'every_host',
      run: checkClis,
    },
    prune({
      name: 'prune_cli_reports',
      keeps: 'snapshots',
      deleteSome: ({ db }, slice) => deleteOldReports(db, slice),
    }),
  ],
}
