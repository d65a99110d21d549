import { onEvent } from '../../platform/events/event.ts'
import type { Periodic } from '../../platform/jobs/periodic.ts'
import { type App, handleJob, prune, type Room } from '../app.ts'
import { sealedTables } from './account-table.ts'
import { refreshAll } from './change-accounts.ts'
import { endpoints } from './endpoints.ts'
import { accountsChanged, poolRecovered } from './events.ts'
import { deleteOldRotations, deleteOldSnapshots, deleteOldUses } from './history-store.ts'
import { checkWindows, sampleQuotas } from './measure.ts'
import { tellOfDeadAccounts } from './needs-reauth.ts'
import { wakeParked } from './outage.ts'
import { deleteOldPastTokens } from './past-token-store.ts'
import { settlePools } from './pool.ts'
import { refreshDue } from './refresh.ts'
import { refreshAccountsJob } from './refresh-accounts-job.ts'

const minute = 60_000

const periodic: readonly Periodic<App>[] = [
  {
    // On every host: one that cannot reach the vendor must not be the only one that tries. A refreshed token is not due.
    name: 'refresh_accounts',
    queue: 'default',
    intervalMs: 5 * minute,
    runs: 'every_host',
    run: async (app, signal) => {
      await refreshDue(app, signal)
      await tellOfDeadAccounts(app)
      await settlePools(app)
      return 'done'
    },
  },
  {
    name: 'sample_quotas',
    queue: 'default',
    intervalMs: 15 * minute,
    runs: 'one_host',
    run: async (app, signal) => {
      await checkWindows(app, signal)
      await sampleQuotas(app, signal)
      return 'done'
    },
  },
  {
    name: 'wake_parked_sessions',
    queue: 'agents',
    intervalMs: 15 * minute,
    runs: 'one_host',
    wakeOn: [onEvent(poolRecovered), onEvent(accountsChanged)],
    run: wakeParked,
  },
  prune({
    name: 'prune_quota_snapshots',
    keeps: 'quotas',
    deleteSome: ({ db }, slice) => deleteOldSnapshots(db, slice),
  }),
  prune({
    name: 'prune_account_rotations',
    keeps: 'logs',
    deleteSome: ({ db }, slice) => deleteOldRotations(db, slice),
  }),
  prune({
    // Longer than a host is away that still has a login of the account.
    name: 'prune_past_account_tokens',
    keeps: { days: 180 },
    deleteSome: ({ db }, slice) => deleteOldPastTokens(db, slice),
  }),
  prune({ name: 'prune_account_uses', keeps: { days: 1 }, deleteSome: ({ db }, slice) => deleteOldUses(db, slice) }),
]

export const accounts: Room = {
  name: 'accounts',
  endpoints,
  jobs: [refreshAccountsJob],
  handlers: [handleJob(refreshAccountsJob, (_payload, app) => refreshAll(app))],
  periodic,
  sealed: sealedTables,
  nameSeries: ({ unclassifiedAccountErrors }) => {
    for (const reason of ['auth', 'rate_limit']) unclassifiedAccountErrors.inc({ reason }, 0)
  },
}
