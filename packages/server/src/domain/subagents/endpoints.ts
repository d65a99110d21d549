import * as contract from '@yardmaster/contract/subagents/endpoints'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import {
  changeSubagent,
  createSubagent,
  listSubagents,
  readSubagent,
  removeSubagent,
  showSubagent,
} from './caller-subagents.ts'
import { presentSubagent } from './present-subagent.ts'

export const endpoints = [
  bindList(contract.listSubagents, async ({ params, filters, page }, app) => {
    const { rows, totalCount } = await listSubagents(app, params.session_id, filters, page)
    return { items: rows.map(presentSubagent), totalCount }
  }),
  bind(contract.showSubagent, async ({ params, query }, app) => {
    const subagent = await showSubagent(app, params.session_id, params.id)
    const transcript = query.include_transcript ? { transcript: await readSubagent(app, subagent) } : {}
    return ok({ subagent_transcript: { ...presentSubagent(subagent), ...transcript } })
  }),
  bind(contract.createSubagent, async ({ params, body }, app) =>
    created({ subagent_transcript: presentSubagent(await createSubagent(app, params.session_id, body)) }),
  ),
  bind(contract.updateSubagent, async ({ params, body }, app) =>
    ok({ subagent_transcript: presentSubagent(await changeSubagent(app, params.session_id, params.id, body)) }),
  ),
  bind(contract.deleteSubagent, async ({ params }, app) => {
    await removeSubagent(app, params.session_id, params.id)
    return noContent()
  }),
]
