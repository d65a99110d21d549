import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { Settings, SettingsChanges } from './fields.ts'

const tag = 'Settings'
const answers = { 200: z.object({ settings: Settings }) }

export const showSettings = defineEndpoint({
  name: 'settings.show',
  auth: 'api_key',
  method: 'GET',
  path: '/settings',
  tag,
  summary: 'Show the global settings',
  answers,
})

export const updateSettings = defineEndpoint({
  name: 'settings.update',
  auth: 'api_key',
  method: 'PATCH',
  path: '/settings',
  tag,
  summary: 'Change global settings; only the keys that are sent change',
  body: SettingsChanges,
  answers,
})

export const endpoints = [showSettings, updateSettings] as const
