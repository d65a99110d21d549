import * as contract from '@yardmaster/contract/sessions/endpoints'
import { bindList } from '../app.ts'
import { listSessions } from './list-sessions.ts'

export const endpoints = [bindList(contract.listSessions, ({ filters, page }, app) => listSessions(app, filters, page))]
