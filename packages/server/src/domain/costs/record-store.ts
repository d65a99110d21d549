import type { RecordsQuery } from '@yardmaster/contract/costs/fields'
import type { Page } from '@yardmaster/contract/paging'
import type { Database } from '../../platform/db/database.ts'
import { type Span, unsplitTokens } from './cost-store.ts'
import type { UsageRow } from './usage-store.ts'

export type RecordRow = UsageRow & { cache_creation_unsplit_tokens: number }

type Filters = Omit<RecordsQuery, 'session_id'> & { sessionId: number | undefined }

/** The latest first. */
export async function selectRecords(
  db: Database,
  span: Span,
  filters: Filters,
  { page, perPage }: Page,
): Promise<{ rows: RecordRow[]; totalCount: number }> {
  const matching = recordsIn(db, span, filters)
  const [rows, { total }] = await Promise.all([
    matching
      .selectAll()
      .select(unsplitTokens.as('cache_creation_unsplit_tokens'))
      .orderBy('called_at', 'desc')
      .orderBy('id', 'desc')
      .limit(perPage)
      .offset((page - 1) * perPage)
      .execute(),
    matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows, totalCount: total }
}

function recordsIn(db: Database, { from, to }: Span, filters: Filters) {
  const { kind, sessionId, agent_root, agent_runtime, model, subagent, source } = filters
  let query = db.selectFrom('session_usage').where('called_at', '>=', from).where('called_at', '<=', to)
  if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
  if (model !== undefined) query = query.where('model', '=', model)
  if (kind === 'adhoc') {
    query = query.where('source', 'is not', null)
    return source === undefined ? query : query.where('source', '=', source)
  }
  query = query.where('source', 'is', null)
  if (agent_root !== undefined) query = query.where('agent_root', '=', agent_root)
  if (agent_runtime !== undefined) query = query.where('agent_runtime', '=', agent_runtime)
  return subagent === undefined ? query : query.where('subagent', '=', subagent)
}
