import { Settings, SettingsChanges } from '@yardmaster/contract/settings/fields'
import { z } from 'zod'
import { ok } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { changeSettings, readSettings } from './settings.ts'

const tag = 'Settings'
const answers = { 200: z.object({ settings: Settings }) }

export const endpoints = [
  defineEndpoint({
    method: 'GET',
    path: '/settings',
    tag,
    summary: 'Show the global settings',
    answers,
    handle: async (_request, app) => ok({ settings: await readSettings(app.db) }),
  }),
  defineEndpoint({
    method: 'PATCH',
    path: '/settings',
    tag,
    summary: 'Change global settings; only the keys that are sent change',
    body: SettingsChanges,
    answers,
    handle: async ({ body }, app) => ok({ settings: await changeSettings(app, body) }),
  }),
]
