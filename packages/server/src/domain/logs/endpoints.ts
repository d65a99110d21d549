import * as contract from '@yardmaster/contract/logs/endpoints'
import type { SessionLog } from '@yardmaster/contract/logs/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { changeLog, createLog, listLogs, removeLog, showLog } from './caller-logs.ts'
import type { LogLine } from './log.ts'

export const endpoints = [
  bindList(contract.listLogs, async ({ params, filters, page }, app) => {
    const { rows, totalCount } = await listLogs(app, params.session_id, filters, page)
    return { items: rows.map(present), totalCount }
  }),
  bind(contract.showLog, async ({ params }, app) =>
    ok({ log: present(await showLog(app, params.session_id, params.id)) }),
  ),
  bind(contract.createLog, async ({ params, body }, app) =>
    created({ log: present(await createLog(app, params.session_id, body)) }),
  ),
  bind(contract.updateLog, async ({ params, body }, app) =>
    ok({ log: present(await changeLog(app, params.session_id, params.id, body)) }),
  ),
  bind(contract.deleteLog, async ({ params }, app) => {
    await removeLog(app, params.session_id, params.id)
    return noContent()
  }),
]

function present({ created_at, updated_at, origin: _, ...line }: LogLine): SessionLog {
  return { ...line, created_at: formatTimestamp(created_at), updated_at: formatTimestamp(updated_at) }
}
