import { IdParam, SessionRef } from '@yardmaster/contract/identifiers'
import { LogFilters, NewSessionLog, SessionLog, SessionLogChanges } from '@yardmaster/contract/logs/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { z } from 'zod'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { defineEndpoint, listEndpoint } from '../app.ts'
import { changeLog, createLog, listLogs, removeLog, showLog } from './caller-logs.ts'
import type { LogLine } from './log.ts'

const tag = 'Logs'
const ofSession = z.object({ session_id: SessionRef })
const params = ofSession.extend({ id: IdParam })
const OneLog = z.object({ log: SessionLog })
const path = '/sessions/{session_id}/logs'

export const endpoints = [
  listEndpoint({
    path,
    tag,
    summary: 'List what happened to a session, newest first',
    key: 'logs',
    item: SessionLog,
    params: ofSession,
    filters: LogFilters,
    find: async ({ params, filters, page }, app) => {
      const { lines, totalCount } = await listLogs(app, params.session_id, filters, page)
      return { items: lines.map(present), totalCount }
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: `${path}/{id}`,
    tag,
    summary: 'Show a line of the log',
    params,
    answers: { 200: OneLog },
    handle: async ({ params }, app) => ok({ log: present(await showLog(app, params.session_id, params.id)) }),
  }),
  defineEndpoint({
    method: 'POST',
    path,
    tag,
    summary: 'Add a line to the log of a session',
    params: ofSession,
    body: NewSessionLog,
    answers: { 201: OneLog },
    handle: async ({ params, body }, app) => created({ log: present(await createLog(app, params.session_id, body)) }),
  }),
  defineEndpoint({
    method: 'PATCH',
    isPutToo: true,
    path: `${path}/{id}`,
    tag,
    summary: 'Change a line that a caller wrote; only the keys that are sent change',
    description: 'What the service wrote is read-only.',
    params,
    body: SessionLogChanges,
    answers: { 200: OneLog },
    refusals: ['log_read_only'],
    handle: async ({ params, body }, app) =>
      ok({ log: present(await changeLog(app, params.session_id, params.id, body)) }),
  }),
  defineEndpoint({
    method: 'DELETE',
    path: `${path}/{id}`,
    tag,
    summary: 'Delete a line that a caller wrote',
    description: 'What the service wrote is read-only.',
    params,
    answers: { 204: 'nothing' },
    refusals: ['log_read_only'],
    handle: async ({ params }, app) => {
      await removeLog(app, params.session_id, params.id)
      return noContent()
    },
  }),
]

function present({ created_at, updated_at, ...line }: LogLine): SessionLog {
  return { ...line, created_at: formatTimestamp(created_at), updated_at: formatTimestamp(updated_at) }
}
