import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/platform/http/openapi.ts'
import { sampleRepository, testApp, testKey } from '../support/app/app.ts'
import { type OddRequest, oddRequests } from '../support/http/odd-requests.ts'
import { startDemo } from '../support/sessions/demo-session.ts'
import { insertSession } from '../support/sessions/session-rows.ts'

/** With a worker, so that requests also meet turns that start, run and end. */
const app = testApp()
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
afterAll(() => agent.destroy())

/** FUZZ_SEED and FUZZ_COUNT override them, as `npm run test:random` does; a failure prints the seed. */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_116)
const count = Number(process.env.FUZZ_COUNT ?? 600)
/** The stream stays open until its reader disconnects. */
const endless = ['events.stream']

test(`${count} oddly sent requests over HTTP to working sessions cause no 500`, async () => {
  const ids = await populate()
  const api = (await app.get('/openapi.json')).body as OpenApiDocument
  const next = oddRequests(api, { seed, without: endless, idsOf: () => ids })
  const statuses: Record<number, number> = {}
  const faults: string[] = []
  let left = count
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const odd = next()
      const { status, text } = await send(odd)
      statuses[status] = (statuses[status] ?? 0) + 1
      // A platform that is not configured is a declared answer. The answer to HEAD has no text that says so.
      const isUnconfigured = status === 503 && (text.includes('is not configured') || odd.method === 'HEAD')
      if (status < 500 || isUnconfigured) continue
      const { method, path, headers, body } = odd
      faults.push(
        `seed ${seed}: ${method} ${path} ${JSON.stringify(headers)} ${body?.toString('latin1').slice(0, 500)} -> ${status} ${text}`,
      )
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
  expect(faults.slice(0, 20)).toEqual([])
  // The run proves something only if it has both successes and refusals.
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '201', '404', '422']))
}, 3_600_000)

/** A request whose connection the server closes without an answer has status 400: Node refuses it before we see it. */
function send({ method, path, headers, body }: OddRequest): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(app.url)
    const all = { 'x-api-key': testKey, ...headers, ...(body && { 'content-length': String(body.length) }) }
    const sent = request({ agent, hostname, port, method, path, headers: all }, (response) => {
      let text = ''
      response.setEncoding('latin1').on('data', (chunk: string) => {
        text = (text + chunk).slice(0, 500)
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.on('error', reject)
    })
    sent.on('error', (error) => {
      if ('code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) resolve({ status: 400, text: '' })
      else reject(error)
    })
    sent.end(body)
  })
}

/** Sessions that work, wait and rest. */
async function populate(): Promise<string[]> {
  const git_root = await sampleRepository(join(app.home, 'repository'))
  const ids: number[] = []
  for (let number = 0; number < 6; number += 1) {
    const { id } = await startDemo(app, { git_root, lines: ['say hello', 'sleep 2', 'spawn say more', 'say done'] })
    ids.push(id)
  }
  for (const status of ['needs_input', 'failed', 'waiting']) {
    ids.push(await insertSession(app.pool, { status, slug: `one-of-them-${ids.length}` }))
  }
  await app.post('/categories', { name: 'Somewhere' })
  return [...ids.map(String), 'one-of-them-6', '1', '2', '999999']
}
