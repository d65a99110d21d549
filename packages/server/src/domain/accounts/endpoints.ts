import * as contract from '@yardmaster/contract/accounts/endpoints'
import { transact } from '../../platform/db/transact.ts'
import { answer, created, noContent, ok } from '../../platform/http/answer.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { bind, bindList } from '../app.ts'
import { addAccount } from './add-account.ts'
import { deleteAccount, refreshByHand, setPriority, switchTo } from './change-accounts.ts'
import { listAccounts, listPools, listRotations, listSnapshots, showAccount } from './present.ts'
import { refreshAccountsJob } from './refresh-accounts-job.ts'

export const endpoints = [
  bind(contract.listAccountPools, async (_request, app) => ok({ account_pools: await listPools(app) })),
  bindList(contract.listAccounts, ({ page, filters }, app) => listAccounts(app, filters, page)),
  bind(contract.showAccount, async ({ params }, app) => ok({ account: await showAccount(app, params.id) })),
  bind(contract.createAccount, async ({ body }, app) => created({ account: await addAccount(app, body) })),
  bind(contract.updateAccount, async ({ params, body }, app) =>
    ok({ account: await setPriority(app, params.id, body.priority) }),
  ),
  bind(contract.deleteAccount, async ({ params }, app) => {
    await deleteAccount(app, params.id)
    return noContent()
  }),
  bind(contract.switchAccount, async ({ params }, app) => ok({ account: await switchTo(app, params.id) })),
  bind(contract.refreshAccount, async ({ params }, app) => ok({ account: await refreshByHand(app, params.id) })),
  bind(contract.refreshAccounts, async (_request, app) => {
    await transact(app.db, (tx) => enqueue(tx, refreshAccountsJob, {}, { key: refreshAccountsJob.name }))
    return answer(202, { queued: true as const })
  }),
  bindList(contract.listQuotaSnapshots, ({ page, filters }, app) =>
    listSnapshots(app, { runtime: filters.runtime, accountId: filters.account_id }, page),
  ),
  bindList(contract.listRotations, ({ page, filters }, app) => listRotations(app, filters, page)),
]
