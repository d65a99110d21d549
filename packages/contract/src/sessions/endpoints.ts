import { defineList } from '../endpoint.ts'
import { Session, SessionFilters } from './fields.ts'

const tag = 'Sessions'

export const listSessions = defineList({
  name: 'sessions.list',
  auth: 'api_key',
  path: '/sessions',
  tag,
  summary: 'List sessions, newest first',
  key: 'sessions',
  item: Session,
  filters: SessionFilters,
})

export const endpoints = [listSessions] as const
