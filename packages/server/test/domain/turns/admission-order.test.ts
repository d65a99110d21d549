import { expect, test } from 'vitest'
import { admit } from '../../../src/domain/turns/admit.ts'
import { advisoryLocks } from '../../../src/platform/db/advisory-locks.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

// Without a worker: the test is the only one that admits turns.
const app = testApp({ environment: { ROLE: 'web' } })
const { create, turns } = sessionHelpers(app)

function untilOneWaits() {
  return eventually(
    async () => (await app.pool.query(`select from pg_locks where locktype = 'advisory' and not granted`)).rows,
    ({ length }) => length > 0,
  )
}

test('a slot that is freed while a new turn is admitted goes to the held turn with the higher precedence', async () => {
  await app.patch('/settings', { spot_gating_enabled: true, spot_max_concurrent_sessions: 1 })
  const stateOf = async (id: number) => (await turns(id))[0]?.state
  const running = await create('say one')
  await admit(app.host.app)
  expect(await stateOf(running)).toBe('dispatched')
  const urgent = await create('say two', { precedence: 7 })
  await admit(app.host.app)
  const late = await create('say three', { precedence: 3 })

  // The pass reads which turns there are, and then comes to the lock under which slots are counted.
  const other = await app.pool.connect()
  try {
    await other.query('select pg_advisory_lock($1)', [advisoryLocks.admission])
    const pass = admit(app.host.app)
    await Promise.race([pass, untilOneWaits()])
    await app.pool.query(`update turns set state = 'ended', outcome = 'completed' where session_id = $1`, [running])
    await other.query('select pg_advisory_unlock($1)', [advisoryLocks.admission])
    await pass
  } finally {
    other.release()
  }
  expect([await stateOf(urgent), await stateOf(late)]).toEqual(['queued', 'queued'])
  await admit(app.host.app)
  expect([await stateOf(urgent), await stateOf(late)]).toEqual(['dispatched', 'queued'])
})
