import { expect, test, vi } from 'vitest'
import { startTestApp } from '../support/app/app.ts'

const loaded = vi.hoisted((): string[] => [])

// The module is the real one, which loads the exporter; the factory only notes when it is loaded.
vi.mock('../../src/platform/tracing/open-tracing.ts', (original) => {
  loaded.push('open-tracing')
  return original()
})

test('what sends traces is loaded only if a collector is configured', async () => {
  const untraced = await startTestApp({ environment: { ROLE: 'web' } })
  await untraced.app.get('/settings')
  await untraced.stop()
  expect(loaded).toEqual([])
  const environment = { ROLE: 'web', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  const traced = await startTestApp({ environment })
  await traced.stop()
  expect(loaded).toEqual(['open-tracing'])
})
