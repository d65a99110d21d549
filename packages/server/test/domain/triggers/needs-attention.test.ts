import { beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../../support/app/app.ts'
import { triggerApp } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()

const changes = {
  healthy: 'missed_fire_count = 0',
  failed: "status = 'failed', failed_at = now(), last_error = 'The root is gone'",
  missed: 'missed_fire_count = 2, first_missed_fire_at = now()',
  bursting: "burst_ends_at = now() + interval '5 minutes'",
  afterBurst: "burst_ends_at = now() - interval '1 second'",
}

describe('GET /triggers with needs_attention', () => {
  const ids: Record<string, number> = {}
  beforeAll(async () => {
    for (const [name, change] of Object.entries(changes)) {
      ids[name] = await app.trigger()
      await app.pool.query(`update triggers set ${change} where id = $1`, [ids[name]])
    }
  })

  test.each<[string, string[]]>([
    ['true', ['bursting', 'missed', 'failed']],
    ['1', ['bursting', 'missed', 'failed']],
    ['true&status=failed', ['failed']],
    ['true&per_page=1&page=2', ['missed']],
    ['false', ['afterBurst', 'healthy']],
    ['', ['afterBurst', 'bursting', 'missed', 'failed', 'healthy']],
  ])('%s lists %j, newest first', async (query, names) => {
    const { status, body } = await app.get(`/triggers?needs_attention=${query}`)
    expect(status).toBe(200)
    expect(body.triggers.map(({ id }: { id: number }) => id)).toEqual(names.map((name) => ids[name]))
    expect(body.pagination.total_count).toBe(query.includes('per_page') ? 3 : names.length)
  })

  test('refuses a value that is no boolean', async () => {
    const answer = await app.get('/triggers?needs_attention=perhaps')
    expectProblem(answer, 422, 'Invalid parameter', 'Needs attention must be true or false')
  })
})
