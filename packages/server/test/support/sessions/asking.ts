import { randomUUID } from 'node:crypto'
import { issueToken } from '../../../src/domain/elicitations/elicitation.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import type { Answer, TestApp } from '../app/app.ts'
import { insertRunningSession } from './session-rows.ts'

export const askPath = '/api/v1/elicitations'

export type Question = { message?: unknown; mode?: unknown; requestedSchema?: unknown; meta?: Record<string, unknown> }

/** Asks as an MCP server of a session does: without a key, by the token in the address. */
export function asker(app: TestApp) {
  const send = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await app.send(path, init)
    return { status: response.status, body: await response.json(), headers: response.headers }
  }
  const raise = (token: string, body: unknown): Promise<Answer> =>
    send(`${askPath}/session/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const markerOf = async (id: number): Promise<string> =>
    (await app.pool.query('select run_marker from turns where session_id = $1', [id])).rows[0]?.run_marker
  return {
    raise,
    poll: (token: string, requestId: string) => send(`${askPath}/session/${token}/${encodeURIComponent(requestId)}`),
    /** A session whose turn runs on another host, with the token of that turn. */
    running: async (columns: Record<string, unknown> = {}): Promise<{ id: number; token: string; marker: string }> => {
      const id = await insertRunningSession(app.pool, columns)
      const marker = await markerOf(id)
      const token = await transact(app.host.app.db, (tx) => issueToken(app.host.app, tx, { sessionId: id, marker }))
      return { id, token, marker }
    },
    /** Asks a question and returns its request id. */
    asked: async (token: string, more: Question = {}): Promise<string> => {
      const requestId = randomUUID()
      const answer = await raise(token, question(requestId, more))
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return requestId
    },
    respond: (id: string | number, action_type: unknown, content?: unknown) =>
      app.patch(`/elicitations/${encodeURIComponent(id)}/respond`, { action_type, content }),
    rowOf: async (requestId: string) =>
      (await app.pool.query('select * from elicitations where request_id = $1', [requestId])).rows[0],
    sessionOf: async (id: number) => (await app.get(`/sessions/${id}`)).body.session,
  }
}

export function question(requestId: unknown, { message = 'Send the mail?', meta = {}, ...more }: Question = {}) {
  return { message, ...more, _meta: { 'com.acme/request-id': requestId, ...meta } }
}
