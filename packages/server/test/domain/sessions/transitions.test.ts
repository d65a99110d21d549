import { readFile } from 'node:fs/promises'
import { sessionStatuses } from '@yardmaster/contract/sessions/fields'
import { beforeEach, describe, expect, test } from 'vitest'
import { transition } from '../../../src/domain/sessions/session.ts'
import { type TransitionCause, transitions } from '../../../src/domain/sessions/transitions.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { emptyTables } from '../../support/database/empty-tables.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'events')
})

const turnId = '0f8d3e0e-0a4b-4d6a-9c3c-b1f1f7a9d2ab'

const move = (sessionId: number, cause: TransitionCause) =>
  transact(app.host.app.db, (tx) => transition(app.host.app, tx, { sessionId, cause, turnId }))

/** The whole machine, written by hand. A pair that is not listed here must be refused. */
const machine: Record<TransitionCause, Partial<Record<(typeof sessionStatuses)[number], string>>> = {
  turn_started: { waiting: 'running' },
  turn_ended: { running: 'needs_input' },
  turn_failed: { waiting: 'failed', running: 'failed' },
  turn_handed_over: { running: 'waiting' },
  turn_recovered: { waiting: 'waiting', running: 'waiting' },
  prepared: { waiting: 'needs_input' },
  resume: { waiting: 'waiting', needs_input: 'waiting', failed: 'waiting' },
  withdraw: { waiting: 'waiting', running: 'waiting' },
  withdrawn_too_late: { waiting: 'running' },
  pause: { running: 'needs_input' },
  sleep: { needs_input: 'waiting' },
  authorization_required: { waiting: 'failed', running: 'failed', needs_input: 'failed' },
  authorized: { failed: 'needs_input' },
  archive: { waiting: 'archived', running: 'archived', needs_input: 'archived', failed: 'archived' },
  unarchive: { archived: 'needs_input' },
  elicitation_asked: { running: 'needs_input' },
  elicitation_answered: { needs_input: 'running' },
}

const causes = [...new Set(transitions.map(({ on }) => on))]
const pairs = causes.flatMap((cause) => sessionStatuses.map((from) => ({ cause, from, to: machine[cause][from] })))

async function insertSessionIn(status: string): Promise<number> {
  return insertSession(app.pool, {
    status,
    running_job_id: turnId,
    archived_at: status === 'archived' ? '2026-08-22T18:09:42Z' : null,
    updated_at: '2026-01-01T00:00:00Z',
  })
}

describe('the session state machine', () => {
  test('the session state machine lists each pair of cause and status once, with its basis', () => {
    const listed = transitions.flatMap(({ on, from }) => from.map((status) => `${on} ${status}`))
    expect(new Set(listed).size).toBe(listed.length)
    expect(Object.keys(machine).sort()).toEqual([...causes].sort())
    for (const { basis } of transitions) expect(basis).not.toBe('')
  })

  test('the session state machine equals the table in ARCHITECTURE.md', async () => {
    const document = await readFile(new URL('../../../../../ARCHITECTURE.md', import.meta.url), 'utf8')
    const printed = /<!-- transitions -->\n([\s\S]*?)\n<!-- \/transitions -->/.exec(document)?.[1]
    const rows = transitions.map(
      ({ on, from, to }) => `| \`${on}\` | ${from.map((status) => `\`${status}\``).join(', ')} | \`${to}\` |`,
    )
    expect(printed).toBe(['| Cause | From | To |', '|---|---|---|', ...rows].join('\n'))
  })

  test.each(pairs.filter(({ to }) => to !== undefined))(
    'the session state machine moves $from to $to on $cause',
    async ({ cause, from, to }) => {
      const id = await insertSessionIn(from)
      await move(id, cause)
      const { rows: sessions } = await app.pool.query('select status, running_job_id, updated_at from sessions')
      const { rows: history } = await app.pool.query(
        'select session_id, cause, from_status, to_status, turn_id from session_transitions',
      )
      const { rows: events } = await app.pool.query('select name, session_id, payload from events')
      expect(sessions[0].status).toBe(to)
      expect(sessions[0].updated_at > new Date('2026-01-02')).toBe(true)
      expect(history).toEqual([{ session_id: String(id), cause, from_status: from, to_status: to, turn_id: turnId }])
      const payload = { cause, from, to, transition_id: expect.any(Number) }
      expect(events).toEqual([{ name: 'session.status_changed', session_id: String(id), payload }])
    },
  )

  test.each(pairs.filter(({ to }) => to === undefined))(
    'the session state machine refuses $cause in status $from and changes nothing',
    async ({ cause, from }) => {
      const id = await insertSessionIn(from)
      await changesNothing(app.pool, async () => {
        await expect(move(id, cause)).rejects.toMatchObject({
          name: 'Refusal',
          kind: 'invalid_transition',
          message: `Session ${id} is ${from}; ${cause} does not apply`,
        })
      })
    },
  )
})

describe('transition', () => {
  test('transition writes status, history and event in the transaction of its caller, all or none', async () => {
    const id = await insertSessionIn('waiting')
    await changesNothing(app.pool, async () => {
      const failure = transact(app.host.app.db, async (tx) => {
        await transition(app.host.app, tx, { sessionId: id, cause: 'turn_started' })
        throw new Error('the caller failed')
      })
      await expect(failure).rejects.toThrow('the caller failed')
    })
  })

  test.each(['turn_ended', 'turn_failed'] as const)(
    'transition clears running_job_id when the session comes to rest (%s)',
    async (cause) => {
      const id = await insertSessionIn('running')
      await move(id, cause)
      expect((await app.get(`/sessions/${id}`)).body.session.running_job_id).toBeNull()
    },
  )

  test('transition refuses an unknown session', async () => {
    await expect(move(999, 'turn_started')).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('transition lets one of two concurrent callers win and refuses the other', async () => {
    const id = await insertSessionIn('waiting')
    const results = await Promise.allSettled([move(id, 'turn_started'), move(id, 'turn_started')])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await app.pool.query('select from session_transitions')).rowCount).toBe(1)
    expect((await app.pool.query('select from events')).rowCount).toBe(1)
  })
})
