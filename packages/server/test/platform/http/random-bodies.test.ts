import { describe, expect, test } from 'vitest'
import { testApp, testKey } from '../../support/app/app.ts'
import { randomBodies } from '../../support/http/random-json.ts'

const app = testApp({ environment: { ROLE: 'web' } })

/** FUZZ_SEED and FUZZ_COUNT override them; a failure prints the seed. */
const seed = Number(process.env.FUZZ_SEED ?? 20_260_822)
const count = Number(process.env.FUZZ_COUNT ?? 250)
const callers = 8

const endpoints: [path: string, example: Record<string, unknown>][] = [
  ['/categories', { name: 'Upkeep', description: 'What never ends', is_frozen: false }],
  [
    '/sessions',
    {
      git_root: '/tmp/none',
      prompt: 'say hello',
      agent_root: null,
      branch: 'main',
      subdirectory: null,
      title: 'A title',
      slug: null,
      agent_runtime: 'demo',
      config: { a: { b: [1] } },
      custom_metadata: { c: 'd' },
      idempotency_key: null,
    },
  ],
]

describe('random bodies', () => {
  test.each(endpoints)(
    'POST %s never fails by our fault and refuses in one shape',
    async (path, example) => {
      const next = randomBodies(seed, example)
      const bodies = Array.from({ length: count }, next)
      const seen: Record<number, number> = {}
      const caller = async (): Promise<void> => {
        for (let body = bodies.pop(); body; body = bodies.pop()) {
          const response = await app.send(`/api/v1${path}`, {
            method: 'POST',
            headers: { 'x-api-key': testKey, 'content-type': 'application/json' },
            body: new Uint8Array(body),
          })
          seen[response.status] = (seen[response.status] ?? 0) + 1
          check(response.status, await response.text(), `seed ${seed}, body ${JSON.stringify(body.toString('latin1'))}`)
        }
      }
      await Promise.all(Array.from({ length: callers }, caller))
      // Without accepted and refused bodies the test would prove nothing.
      expect(Object.keys(seen)).toEqual(expect.arrayContaining(['201', '422']))
    },
    3_600_000,
  )

  test('random bodies leave every list readable', async () => {
    expect((await app.get('/categories')).status).toBe(200)
    const { body } = await app.get('/sessions?per_page=100')
    expect(body.sessions.length).toBeGreaterThan(0)
    for (const { id } of body.sessions) expect((await app.get(`/sessions/${id}`)).status).toBe(200)
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

function check(status: number, text: string, found: string): void {
  expect([200, 201, 422], found).toContain(status)
  if (status !== 422) return
  const body = JSON.parse(text)
  expect(Object.keys(body), found).toEqual(['error', 'message', 'messages'])
  expect(body.message, found).toBe(body.messages.join(', '))
  expect(body.messages.length, found).toBeGreaterThan(0)
}
