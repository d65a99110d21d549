import type { Genesis } from '@yardmaster/contract/sessions/fields'
import { describe, expect, test } from 'vitest'
import { deliverPrompt } from '../../../src/domain/conversation/conversation.ts'
import { createSession, planSession } from '../../../src/domain/lifecycle/lifecycle.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'

const app = testApp()
const { create, busy, rested, reaches, logs, turns } = sessionHelpers(app)

class Rollback extends Error {}

async function plan(request: Record<string, unknown>) {
  const { body } = await app.get(`/sessions/${await rested()}`)
  return planSession(app.host.app, {
    agent_runtime: 'demo',
    git_root: body.session.git_root,
    scheduling_class: null,
    ...request,
  })
}

describe('a session created in the transaction of its caller', () => {
  test.each<Genesis>(['schedule', 'chat', 'ao_event', 'web_ui'])(
    'a session created in the transaction of its caller has the genesis %s of the caller',
    async (genesis) => {
      const made = await plan({ prompt: 'say hello' })
      const { session } = await transact(app.host.app.db, (tx) => createSession(app.host.app, tx, { genesis }, made))
      expect(session).toMatchObject({ genesis, status: 'waiting' })
      await reaches(session.id, 'needs_input')
    },
  )

  test('a session created in the transaction of its caller takes the genesis of its parent instead, when it has one', async () => {
    const parent = await rested()
    const made = await plan({ parent_session_id: { id: parent } })
    const { session } = await transact(app.host.app.db, (tx) =>
      createSession(app.host.app, tx, { genesis: 'schedule' }, made),
    )
    expect(session.genesis).toBe('api')
  })

  test('a session created in the transaction of its caller leaves no session, turn, job or event if the caller rolls back', async () => {
    const made = await plan({ prompt: 'say hello', title: 'Rolled back' })
    await changesNothing(app.pool, () =>
      expect(
        transact(app.host.app.db, async (tx) => {
          await createSession(app.host.app, tx, { genesis: 'schedule' }, made)
          throw new Rollback()
        }),
      ).rejects.toThrow(Rollback),
    )
  })

  test('a session created in the transaction of its caller is replayed by its idempotency key, and the transaction stays usable', async () => {
    const made = await plan({ idempotency_key: 'fired-once' })
    const createOnce = () =>
      transact(app.host.app.db, async (tx) => {
        const created = await createSession(app.host.app, tx, { genesis: 'schedule' }, made)
        // The conflict raised no database error, so the transaction is not aborted.
        await tx.selectFrom('sessions').select('id').limit(1).execute()
        return created
      })
    const outcomes = await Promise.all(Array.from({ length: 8 }, createOnce))
    expect(new Set(outcomes.map(({ session }) => session.id)).size).toBe(1)
    expect(outcomes.filter(({ isReplay }) => !isReplay)).toHaveLength(1)
  })

  test('a session created in the transaction of its caller gets another slug when a caller chose the generated one at the same moment', async () => {
    const titled = await plan({ title: 'Same words' })
    const { session: first } = await transact(app.host.app.db, (tx) =>
      createSession(app.host.app, tx, { genesis: 'schedule' }, titled),
    )
    const { session: second } = await transact(app.host.app.db, (tx) =>
      createSession(app.host.app, tx, { genesis: 'schedule' }, titled),
    )
    expect(second.slug).toBe(`${first.slug}-1`)
  })
})

describe('a prompt delivered in the transaction of its caller', () => {
  const deliver = (id: number, prompt: string, isImmediate = false) =>
    transact(app.host.app.db, (tx) =>
      deliverPrompt(app.host.app, tx, { id }, { prompt, goal: null, isImmediate, source: 'trigger' }),
    )

  test('a prompt delivered in the transaction of its caller is the next turn of a session at rest, recorded with the source of the caller', async () => {
    const id = await rested()
    expect(await deliver(id, 'say woken')).toEqual({ delivery: 'sent' })
    await reaches(id, 'needs_input')
    expect((await turns(id)).at(-1)).toMatchObject({ source: 'trigger', outcome: 'completed' })
  })

  test('a prompt delivered in the transaction of its caller waits in the queue while a turn is live', async () => {
    const { id, release } = await busy()
    expect(await deliver(id, 'say later')).toMatchObject({ delivery: 'queued', message: { position: 1 } })
    await release()
    await reaches(id, 'needs_input')
  })

  test('a prompt delivered in the transaction of its caller leaves no trace when the caller rolls back', async () => {
    const id = await rested()
    const before = { turns: await turns(id), logs: await logs(id) }
    await expect(
      transact(app.host.app.db, async (tx) => {
        await deliverPrompt(
          app.host.app,
          tx,
          { id },
          { prompt: 'say no', goal: null, isImmediate: false, source: 'trigger' },
        )
        throw new Rollback()
      }),
    ).rejects.toThrow(Rollback)
    expect({ turns: await turns(id), logs: await logs(id) }).toEqual(before)
  })

  test('a prompt delivered in the transaction of its caller is refused by an archived session, and the transaction of the caller with it', async () => {
    const id = await create('say hello')
    await reaches(id, 'needs_input')
    await app.post(`/sessions/${id}/archive`)
    await expect(deliver(id, 'say no')).rejects.toMatchObject({ kind: 'cannot_follow_up' })
  })
})
