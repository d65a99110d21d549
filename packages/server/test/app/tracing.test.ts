import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sampleRepository, startTestApp, type TestApp, testKey } from '../support/app/app.ts'
import { recordedLog } from '../support/log/recorded-log.ts'
import { type CollectedSpan, type Collector, startCollector } from '../support/remote/collector.ts'
import { agentGate } from '../support/sessions/agent-gate.ts'
import { atRest, findDemo, startDemo, textOf } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

const secret = 'a-header-of-the-collector'
const recorded = recordedLog()
let collector: Collector
let app: TestApp
let stop: () => Promise<void>
let git_root: string

beforeAll(async () => {
  collector = await startCollector()
  ;({ app, stop } = await startTestApp({ environment: tracingTo(collector), log: recorded.log }))
  git_root = await sampleRepository(join(app.shared, 'repository'))
})
afterAll(async () => {
  await stop()
  await collector.close()
})

function tracingTo({ url }: Collector): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-token=${secret}`,
    OTEL_SERVICE_NAME: 'yard',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=staging',
  }
}

const traceId = (digit: string) => digit.repeat(32)

/** Sends with a trace of its own and returns the spans of that trace, once there is one of each name. */
async function traced(digit: string, send: (headers: Record<string, string>) => Promise<unknown>, ...names: string[]) {
  await send({ 'x-api-key': testKey, traceparent: `00-${traceId(digit)}-${'b'.repeat(16)}-01` })
  return spansOf(traceId(digit), ...names)
}

async function spansOf(id: string, ...names: string[]): Promise<Map<string, CollectedSpan>> {
  const own = await eventually(
    async () => collector.spans().filter((span) => span.traceId === id),
    (spans) => names.every((name) => spans.some((span) => span.name === name)),
  )
  return new Map(own.map((span) => [span.name, span]))
}

function post(path: string, headers: Record<string, string>, body: unknown): Promise<Response> {
  const all = { ...headers, 'content-type': 'application/json' }
  return fetch(`${app.url}/api/v1${path}`, { method: 'POST', headers: all, body: JSON.stringify(body) })
}

async function create(headers: Record<string, string>, prompt: string): Promise<number> {
  const answer = await post('/sessions', headers, { agent_runtime: 'demo', git_root, prompt })
  const { session } = (await answer.json()) as { session: { id: number } } // what the endpoint declares
  return session.id
}

describe('a trace', () => {
  test('a trace goes from the request that its caller traces to the turn and to the agent, which gets TRACEPARENT', async () => {
    let id = 0
    const run = async (headers: Record<string, string>) => {
      id = await create(headers, 'run echo "$TRACEPARENT"; env | grep -c ^OTEL_')
    }
    const spans = await traced('1', run, 'POST /api/v1/sessions', 'turn', 'workspace', 'agent')
    const [request, turn, workspace, agent] = ['POST /api/v1/sessions', 'turn', 'workspace', 'agent'].map((n) =>
      spans.get(n),
    )
    expect(request).toMatchObject({
      parentSpanId: 'b'.repeat(16),
      kind: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/sessions',
        'http.response.status_code': '201',
      },
    })
    expect(turn).toMatchObject({
      parentSpanId: request?.spanId,
      attributes: {
        'yardmaster.session.id': String(id),
        'yardmaster.turn.outcome': 'completed',
        'yardmaster.runtime': 'demo',
      },
    })
    expect(workspace?.parentSpanId).toBe(turn?.spanId)
    expect(agent).toMatchObject({ parentSpanId: turn?.spanId, attributes: { 'process.pid': expect.any(String) } })
    const text = await textOf(app, id)
    expect(text).toContain(`00-${traceId('1')}-${agent?.spanId}-01\n0\n`)
    expect(turn?.resource).toMatchObject({ 'service.name': 'yard', 'deployment.environment': 'staging' })
    expect(collector.requests[0]?.headers['x-token']).toBe(secret)
  })

  test('a trace follows each of several prompts that are queued behind a turn and share transactions', async () => {
    const gate = agentGate(app.shared)
    const { id } = await startDemo(app, { git_root, lines: [gate.line] })
    await eventually(
      () => findDemo(app, id),
      ({ status }) => status === 'running',
    )
    const digits = ['2', '3', '4', '5']
    const route = 'POST /api/v1/sessions/:id/follow_up'
    let accepted = 0
    const followUp = async (headers: Record<string, string>, prompt: string): Promise<void> => {
      await post(`/sessions/${id}/follow_up`, headers, { prompt })
      accepted += 1
      if (accepted === digits.length) await gate.open()
    }
    const found = await Promise.all(
      digits.map((digit) => traced(digit, (headers) => followUp(headers, `say ${digit}`), route, 'turn')),
    )
    for (const spans of found) {
      expect(spans.get('turn')?.parentSpanId).toBe(spans.get(route)?.spanId)
      expect(spans.get('turn')?.attributes).toMatchObject({ 'yardmaster.session.id': String(id) })
    }
  })

  test('a trace goes on when another host runs the turn', async () => {
    const environment = { ...tracingTo(collector), ROLE: 'web' }
    const web = await startTestApp({ environment })
    onTestFinished(web.stop)
    const answer = await web.app.post('/sessions', { agent_runtime: 'demo', git_root, prompt: 'say hello' })
    const worker = await startTestApp({
      environment: { ...environment, ROLE: 'worker', DATABASE_URL: web.app.databaseUrl },
    })
    onTestFinished(worker.stop)
    const { id } = answer.body.session
    expect((await atRest(web.app, id)).status).toBe('needs_input')
    const requestId = answer.headers.get('x-request-id')
    const isRequest = ({ attributes }: CollectedSpan) => attributes['yardmaster.request.id'] === requestId
    const request = (
      await eventually(
        async () => collector.spans(),
        (spans) => spans.some(isRequest),
      )
    ).find(isRequest)
    const turn = (await spansOf(request?.traceId ?? '', 'turn')).get('turn')
    expect(turn?.parentSpanId).toBe(request?.spanId)
    expect([request, turn].map((span) => span?.resource['service.instance.id'])).toEqual([
      web.app.host.app.home.hostId,
      worker.app.host.app.home.hostId,
    ])
  })

  test('a trace of a turn that fails says so by the reason alone', async () => {
    const fail = (headers: Record<string, string>) => create(headers, 'fail with a long sentence')
    const turn = (await traced('6', fail, 'turn')).get('turn')
    expect(turn).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'agent_error' } })
  })

  test('a trace that its caller does not sample is not sent, and the agent still learns of it', async () => {
    const before = collector.spans().length
    const headers = { 'x-api-key': testKey, traceparent: `00-${traceId('7')}-${'b'.repeat(16)}-00` }
    const id = await create(headers, 'run echo "$TRACEPARENT"')
    await atRest(app, id)
    expect(await textOf(app, id)).toMatch(new RegExp(`00-${traceId('7')}-[\\da-f]{16}-00`))
    await app.get('/settings')
    await eventually(
      async () => collector.spans().length,
      (count) => count > before,
    )
    expect(collector.spans().filter((span) => span.traceId === traceId('7'))).toEqual([])
  })

  test('a trace is not begun by a stranger or by a probe, nor continued from a header that is not valid', async () => {
    const headers = { traceparent: `00-${traceId('8')}-${'b'.repeat(16)}-01` }
    expect((await fetch(`${app.url}/api/v1/sessions`, { headers })).status).toBe(401)
    expect((await fetch(`${app.url}/up`, { headers })).status).toBe(200)
    const bad = {
      'x-api-key': testKey,
      traceparent: `00-${traceId('9')}-${'b'.repeat(15)}-01`,
      'x-request-id': 'of-this-test',
    }
    await fetch(`${app.url}/api/v1/settings`, { headers: bad })
    await eventually(
      async () => collector.spans(),
      (spans) => spans.some(({ attributes }) => attributes['yardmaster.request.id'] === 'of-this-test'),
    )
    const ids = collector.spans().map((span) => span.traceId)
    expect(ids.filter((id) => id === traceId('8') || id === traceId('9'))).toEqual([])
  })

  test('a trace holds no prompt, no key and no path, and the log lines of its turn carry its id', async () => {
    const sent = collector.requests.map(({ text }) => text).join('\n')
    for (const part of ['long sentence', 'TRACEPARENT', testKey, app.home, app.shared]) expect(sent).not.toContain(part)
    const line = recorded.records().find(({ msg, trace_id }) => msg === 'turn ended' && trace_id === traceId('1'))
    expect(line).toMatchObject({ session_id: expect.any(Number), span_id: expect.stringMatching(/^[\da-f]{16}$/) })
    expect(recorded.lines().join()).not.toContain(secret)
  })

  test('a trace header that an agent prints is redacted, as the secrets of the collector are', async () => {
    expect(await app.host.app.redactor.text(`the token is ${secret}.`)).not.toContain(secret)
  })
})
