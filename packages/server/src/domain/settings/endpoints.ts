import * as contract from '@yardmaster/contract/settings/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { changeSettings, readSettings } from './settings.ts'

export const endpoints = [
  bind(contract.showSettings, async (_request, app) => ok({ settings: await readSettings(app.db) })),
  bind(contract.updateSettings, async ({ body }, app) => ok({ settings: await changeSettings(app, body) })),
]
