import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam, SessionRef } from '../identifiers.ts'
import { LogFilters, NewSessionLog, SessionLog, SessionLogChanges } from './fields.ts'

const tag = 'Logs'
const ofSession = z.object({ session_id: SessionRef })
const params = ofSession.extend({ id: IdParam })
const OneLog = z.object({ log: SessionLog })
const path = '/sessions/{session_id}/logs'

export const listLogs = defineList({
  name: 'logs.list',
  auth: 'api_key',
  path,
  tag,
  summary: 'List what happened to a session, newest first',
  key: 'logs',
  item: SessionLog,
  params: ofSession,
  filters: LogFilters,
})

export const showLog = defineEndpoint({
  name: 'logs.show',
  auth: 'api_key',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'Show a line of the log',
  params,
  answers: { 200: OneLog },
})

export const createLog = defineEndpoint({
  name: 'logs.create',
  auth: 'api_key',
  method: 'POST',
  path,
  tag,
  summary: 'Add a line to the log of a session',
  params: ofSession,
  body: NewSessionLog,
  answers: { 201: OneLog },
})

export const updateLog = defineEndpoint({
  name: 'logs.update',
  auth: 'api_key',
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
})

export const deleteLog = defineEndpoint({
  name: 'logs.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary: 'Delete a line that a caller wrote',
  description: 'What the service wrote is read-only.',
  params,
  answers: { 204: 'nothing' },
  refusals: ['log_read_only'],
})

export const endpoints = [listLogs, showLog, createLog, updateLog, deleteLog] as const
