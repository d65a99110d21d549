import { expect } from 'vitest'
import { sweepUsage } from '../../../src/domain/workspaces/reread-usage.ts'
import type { testApp } from '../app/app.ts'

type TestApp = ReturnType<typeof testApp>

/** A line of the demo runtime that reports a call with 10 input tokens and 1 output token. */
export function callLine(requestId: string, more: object = {}): string {
  return JSON.stringify({
    type: 'assistant',
    requestId,
    timestamp: '2026-08-01T10:00:00.000Z',
    message: { model: 'demo', usage: { input_tokens: 10, output_tokens: 1 } },
    ...more,
  })
}

/** Removes all sessions, calls and sweeps. */
export async function forgetUsage({ pool }: TestApp): Promise<void> {
  await pool.query('delete from sessions')
  await pool.query('delete from session_usage')
  await pool.query('delete from cost_backfills')
}

export function sweepHelpers(app: TestApp) {
  return {
    sweepAll: async () => {
      while ((await sweepUsage(app.host.app, new AbortController().signal)) === 'again');
    },
    coverage: async () => (await app.get('/costs')).body.ledger_coverage,
    backfill: async () => {
      const { status, body } = await app.post('/costs/backfill')
      expect(status).toBe(200)
      return body
    },
    ledger: async () => {
      const { rows } = await app.pool.query(
        `select request_id, session_id::int, agent_runtime, model, subagent, source, input_tokens::int, output_tokens::int,
           cache_read_tokens::int, cache_creation_tokens::int
         from session_usage order by request_id`,
      )
      return rows
    },
  }
}
