import { defineEndpoint } from '../endpoint.ts'

export const showMetrics = defineEndpoint({
  name: 'metrics.show',
  auth: 'api_key',
  method: 'GET',
  path: '/metrics',
  tag: 'Metrics',
  summary: 'Read the metrics of this host, in the Prometheus text format',
  answers: { 200: 'text' },
})

export const endpoints = [showMetrics] as const
