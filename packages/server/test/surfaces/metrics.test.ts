import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sampleRepository, startTestApp, testApp, testKey } from '../support/app/app.ts'
import { atRest, startDemo } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

const app = testApp()

describe('GET /metrics', () => {
  test('GET /metrics reports completed turns and redacted secrets', async () => {
    const git_root = await sampleRepository(join(app.home, 'repository'))
    const { id } = await startDemo(app, { git_root, lines: ['say the key is test-key, keep it'] })
    expect((await atRest(app, id)).status).toBe('needs_input')
    const { status, body, headers } = await eventually(
      () => app.get('/metrics'),
      ({ body }) => /^yardmaster_turn_seconds_count\{host="[^"]+",outcome="completed"\} 1$/m.test(body),
    )
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('text/plain')
    expect(body).toContain('# HELP yardmaster_turns ')
    expect(body).toContain('yardmaster_redactions_total{label="API_KEY",host="')
    expect(body).not.toContain('test-key')
  })

  test('GET /metrics says what confines agents on this host', async () => {
    const { mode, mechanism } = app.host.app.confinement
    const { body } = await app.get('/metrics')
    const labels = `in_force="${mode} by ${mechanism}",host="${app.host.app.home.hostId}"`
    const row = `yardmaster_agent_confinement{${labels}} ${mechanism === 'none' ? 0 : 1}`
    expect(body.split('\n')).toContain(row)
  })

  test('GET /metrics answers 401 without a key', async () => {
    expect((await app.send('/api/v1/metrics')).status).toBe(401)
  })
})

describe('a host with ROLE=worker', () => {
  test('a host with ROLE=worker serves its metrics and its probe on WORKER_PORT, and nothing else', async () => {
    const { app: worker, stop } = await startTestApp({ environment: { ROLE: 'worker', WORKER_PORT: '0' } })
    onTestFinished(stop)
    const url = worker.host.workerUrl ?? ''
    const ask = (path: string, key = testKey) => fetch(`${url}${path}`, { headers: { 'x-api-key': key } })
    expect(await (await ask('/api/v1/metrics')).text()).toContain(`host="${worker.host.app.home.hostId}"`)
    expect((await ask('/api/v1/metrics', 'wrong')).status).toBe(401)
    expect((await ask('/up')).status).toBe(200)
    expect((await ask('/api/v1/sessions')).status).toBe(404)
  })
})

test('GET /metrics answers with what the host knows by itself while the database is away', async () => {
  const { metrics } = app.host.app
  metrics.registerReading('broken', () => Promise.reject(new Error('away')), [
    { name: 'yardmaster_broken', help: 'Of a test.', values: () => [[{}, 1]] },
  ])
  onTestFinished(() => metrics.registry.removeSingleMetric('yardmaster_broken'))
  // The count of failures may be collected before the failure.
  await app.get('/metrics')
  const { status, body } = await app.get('/metrics')
  expect(status).toBe(200)
  expect(body).toMatch(/^yardmaster_scrape_failures_total\{source="broken",host="[^"]+"\} [12]$/m)
  expect(body).not.toMatch(/^yardmaster_broken\{/m)
  expect(body).toMatch(/^process_resident_memory_bytes\{/m)
})

test('GET /metrics counts requests by route and refusals by kind, whatever address a caller writes', async () => {
  await app.get('/sessions/4711')
  for (const path of ['/nothing/1', '/nothing/2', '/nothing/3']) await app.get(path)
  const { body } = await app.get('/metrics')
  expect(body).toMatch(/^yardmaster_refusals_total\{kind="not_found",host="[^"]+"\} [1-9]/m)
  expect(body).toContain('method="GET",route="/api/v1/sessions/:id",status="4xx"')
  expect(body).toContain('method="GET",route="none",status="4xx"')
  expect(body).not.toContain('nothing')
  expect(body).not.toContain('4711')
})
