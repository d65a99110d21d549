import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openMetrics } from '../../../src/platform/metrics.ts'
import { type Exporter, openExporter } from '../../../src/platform/tracing/otlp-exporter.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { type Collector, startCollector } from '../../support/remote/collector.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const limits = {
  queued: 20,
  batch: 10,
  intervalMs: 10,
  requestMs: 60_000,
  attempts: 3,
  firstDelayMs: 5,
  maxDelayMs: 200,
  closeMs: 60_000,
}

function exporterTo(url: string, change: Partial<typeof limits> = {}) {
  const { log, records } = recordedLog()
  const metrics = openMetrics()
  const exporter = openExporter({
    url: `${url}/v1/traces`,
    headers: new Map([['x-token', 'very secret']]),
    wrap: (spans) => ({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] }),
    metrics,
    log,
    limits: { ...limits, ...change },
  })
  onTestFinished(() => exporter.close())
  const count = async (outcome: string): Promise<number> => {
    const { values } = await metrics.spans.get()
    return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0
  }
  return { exporter, records, count }
}

async function testCollector(): Promise<Collector> {
  const collector = await startCollector()
  onTestFinished(() => collector.close())
  return collector
}

function addSpans(exporter: Exporter, count: number): void {
  for (let index = 0; index < count; index += 1)
    exporter.add({ traceId: 't', spanId: String(index), name: 'span', attributes: [] })
}

async function reaches(read: () => Promise<number>, value: number): Promise<void> {
  expect(await eventually(read, (found) => found >= value)).toBe(value)
}

test('spans are sent in batches, in order, with the headers of the operator', async () => {
  const collector = await testCollector()
  const { exporter, count } = exporterTo(collector.url)
  addSpans(exporter, 15)
  await reaches(() => count('exported'), 15)
  expect(collector.spans().map(({ spanId }) => spanId)).toEqual(Array.from({ length: 15 }, (_, index) => String(index)))
  expect(collector.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'x-token': 'very secret', 'content-type': 'application/json' },
  })
})

describe('a collector that misbehaves', () => {
  const misbehaviours: [name: string, answer: Collector['answer']][] = [
    ['answers 500', (response) => response.writeHead(500).end('x'.repeat(200_000))],
    ['answers 404 with a page', (response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no')],
    ['answers 503', (response) => response.writeHead(503).end()],
    ['answers 429 for ever', (response) => response.writeHead(429, { 'retry-after': '0' }).end()],
    ['redirects elsewhere', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['does not answer', () => undefined],
    ['closes the connection', (response) => void response.destroy()],
    ['closes half way through its answer', (response) => void cutHalfWay(response)],
    ['never ends its answer', (response) => void response.writeHead(200).write('{')],
  ]
  test.each(misbehaviours)('a collector that %s costs the spans and nothing else', async (_name, answer) => {
    const collector = await testCollector()
    collector.answer = answer
    const { exporter, records, count } = exporterTo(collector.url, { requestMs: 100 })
    addSpans(exporter, 100)
    // The queue holds 20 beside the batch that is sent; the rest is dropped at once.
    expect(await count('dropped')).toBeGreaterThanOrEqual(60)
    await eventually(
      async () => records(),
      (lines) => lines.some(({ msg }) => msg === 'the collector did not take the spans'),
    )
    await exporter.close()
    expect([await count('exported'), await count('dropped')]).toEqual([0, 100])
    expect(JSON.stringify(records())).not.toContain('very secret')
  })

  test('a collector that is not there is tried again, and gets the spans when it is back', async () => {
    const collector = await testCollector()
    collector.answer = (response, attempt) => void (attempt < 3 ? response.destroy() : response.end('{}'))
    const { exporter, count } = exporterTo(collector.url)
    addSpans(exporter, 1)
    await reaches(() => count('exported'), 1)
    expect(collector.requests).toHaveLength(3)
    expect(await count('dropped')).toBe(0)
  })

  test('the delay that a collector asks for is kept, up to a limit', async () => {
    const collector = await testCollector()
    const times: number[] = []
    collector.answer = (response, attempt) => {
      times.push(performance.now())
      if (attempt === 1) response.writeHead(429, { 'retry-after': '86400' }).end()
      else response.end('{}')
    }
    const { exporter, count } = exporterTo(collector.url)
    addSpans(exporter, 1)
    await reaches(() => count('exported'), 1)
    const [first = 0, second = 0] = times
    expect(second - first).toBeGreaterThanOrEqual(limits.maxDelayMs - 5)
  })

  test('an answer that lies about itself, or that rejects some spans, changes nothing', async () => {
    const collector = await testCollector()
    const answers = ['{"partialSuccess":{"rejectedSpans":"2"}}', 'not JSON', '[]', 'null', '{"partialSuccess":7}', '']
    collector.answer = (response) => response.end(answers.shift() ?? '{}')
    const { exporter, records, count } = exporterTo(collector.url, { batch: 1 })
    addSpans(exporter, 6)
    await reaches(() => count('exported'), 6)
    expect(records()).toMatchObject([{ msg: 'the collector rejected spans', spans: 2 }])
  })
})

test('close sends what is left, and gives up on a collector that does not answer', async () => {
  const collector = await testCollector()
  const willing = exporterTo(collector.url, { intervalMs: 60_000 })
  addSpans(willing.exporter, 5)
  await willing.exporter.close()
  expect(await willing.count('exported')).toBe(5)

  collector.answer = () => undefined
  const stuck = exporterTo(collector.url, { intervalMs: 60_000, closeMs: 100 })
  addSpans(stuck.exporter, 5)
  await stuck.exporter.close()
  expect(await stuck.count('dropped')).toBe(5)
  addSpans(stuck.exporter, 1)
  expect(await stuck.count('dropped')).toBe(6)
})

function cutHalfWay(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"partial', () => response.destroy())
}
