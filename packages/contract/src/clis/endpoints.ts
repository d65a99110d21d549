import { defineEndpoint } from '../endpoint.ts'
import { CliReport, QueuedCacheClearing, QueuedCliRefresh } from './fields.ts'

const tag = 'CLIs'

export const showCliStatus = defineEndpoint({
  name: 'clis.status',
  auth: 'api_key',
  method: 'GET',
  path: '/clis/status',
  tag,
  summary: "Show which agents' programs are installed and signed in",
  description: 'From the last check by a host that runs turns. It calls no model and no vendor.',
  answers: { 200: CliReport },
})

export const refreshClis = defineEndpoint({
  name: 'clis.refresh',
  auth: 'api_key',
  method: 'POST',
  path: '/clis/refresh',
  tag,
  summary: "Check the agents' programs again",
  answers: { 200: QueuedCliRefresh },
})

export const clearCliCaches = defineEndpoint({
  name: 'clis.clear_cache',
  auth: 'api_key',
  method: 'POST',
  path: '/clis/clear_cache',
  tag,
  summary: 'Clear the caches of packages that MCP servers were started from',
  description: 'The next start of such a server downloads its package again.',
  answers: { 200: QueuedCacheClearing },
})

export const endpoints = [showCliStatus, refreshClis, clearCliCaches] as const
