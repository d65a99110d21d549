import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { plainUsage, type Usage } from '../../../src/runtimes/usage.ts'

/** Inserts a model call directly into the ledger: by default 1,000 input and 100 output tokens, a minute ago. */
export async function insertUsage(pool: pg.Pool, columns: Record<string, unknown> = {}): Promise<string> {
  const row: Record<string, unknown> = {
    request_id: `req-${randomUUID()}`,
    agent_runtime: 'demo',
    model: 'test-opus-1',
    called_at: new Date(Date.now() - 60_000),
    input_tokens: 1000,
    output_tokens: 100,
    ...columns,
  }
  const names = Object.keys(row)
  await pool.query(
    `insert into session_usage (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  )
  return String(row.request_id)
}

/** Whether the sums by hour are exactly those of the calls. */
export async function differencesOfHours(pool: pg.Pool): Promise<unknown[]> {
  const keys =
    'session_id, runtime_session_id, agent_root, agent_runtime, model, subagent, source, api_calls, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cache_creation_5m_tokens, cache_creation_1h_tokens, cache_creation_unsplit_tokens, web_search_requests, web_fetch_requests'
  const { rows } = await pool.query(`
    with expected as (
      select date_trunc('hour', called_at, 'UTC') as hour, session_id, runtime_session_id, agent_root, agent_runtime, model, subagent,
        source, count(*) as api_calls, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
        sum(cache_read_tokens)::bigint as cache_read_tokens, sum(cache_creation_tokens)::bigint as cache_creation_tokens,
        sum(cache_creation_5m_tokens)::bigint as cache_creation_5m_tokens,
        sum(cache_creation_1h_tokens)::bigint as cache_creation_1h_tokens,
        sum(case when cache_creation_5m_tokens = 0 and cache_creation_1h_tokens = 0 then cache_creation_tokens else 0 end)::bigint
          as cache_creation_unsplit_tokens,
        sum(web_search_requests)::bigint as web_search_requests, sum(web_fetch_requests)::bigint as web_fetch_requests
      from session_usage
      group by 1, 2, 3, 4, 5, 6, 7, 8
    )
    (select 'missing' as what, hour, ${keys} from expected except all select 'missing', hour, ${keys} from usage_hours)
    union all
    (select 'extra', hour, ${keys} from usage_hours except all select 'extra', hour, ${keys} from expected)
  `)
  return rows
}

/** A call that can be recorded: by default one input and one output token. */
export function usageWith(more: Partial<Usage> = {}): Usage {
  return {
    ...plainUsage,
    request_id: `req-${randomUUID()}`,
    model: 'demo',
    called_at: new Date(),
    subagent: false,
    input_tokens: 1,
    output_tokens: 1,
    ...more,
  }
}
