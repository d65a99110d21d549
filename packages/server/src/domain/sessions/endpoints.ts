import { Session, SessionFilters } from '@yardmaster/contract/sessions/fields'
import { listEndpoint } from '../app.ts'
import { listSessions } from './list-sessions.ts'

const tag = 'Sessions'

export const endpoints = [
  listEndpoint({
    path: '/sessions',
    tag,
    summary: 'List sessions, newest first',
    key: 'sessions',
    item: Session,
    filters: SessionFilters,
    find: ({ filters, page }, app) => listSessions(app, filters, page),
  }),
]
