import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../../support/app/app.ts'
import { changesNothing } from '../../../support/app/changes-nothing.ts'
import { emptyTables } from '../../../support/database/empty-tables.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const git_root = '/srv/widgets'
const create = (request: object) => app.post('/sessions', { git_root, agent_runtime: 'demo', ...request })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions')
})

describe('POST /sessions, scheduling_class', () => {
  test.each(['spot', 'priority'])(
    'the scheduling_class %s of a new session is stored and effective',
    async (scheduling_class) => {
      const { status, body } = await create({ scheduling_class })
      expect(status).toBe(201)
      expect(body.session).toMatchObject({ scheduling_class, priority_class: scheduling_class })
    },
  )

  test.each([undefined, null, ''])(
    'the scheduling_class %j of a new session leaves the class to the genesis',
    async (scheduling_class) => {
      expect((await create({ scheduling_class })).body.session).toMatchObject({
        scheduling_class: null,
        priority_class: 'spot',
      })
    },
  )

  test('an unknown class is rejected with 422, and nothing is created', async () => {
    const answer = await changesNothing(app.pool, () => create({ scheduling_class: 'urgent' }))
    expectProblem(answer, 422, 'Validation failed', 'Scheduling class urgent is not a known scheduling class')
  })
})

describe('POST /sessions, precedence and place', () => {
  test('POST /sessions without precedence and place stores the precedence 0', async () => {
    expect((await create({})).body.session.precedence).toBe(0)
  })

  test.each([-1_000_000_000, 0, 7, 1_000_000_000])(
    'the precedence %i of a new session is stored',
    async (precedence) => {
      expect((await create({ precedence })).body.session.precedence).toBe(precedence)
    },
  )

  test('a precedence may be a string of digits', async () => {
    expect((await create({ precedence: '-12' })).body.session.precedence).toBe(-12)
  })

  test.each([
    [1_000_000_001, 'Precedence must be less than or equal to 1000000000'],
    [-1_000_000_001, 'Precedence must be greater than or equal to -1000000000'],
    ['high', 'Precedence is not a number'],
    [1.5, 'Precedence must be an integer'],
  ])('precedence %j is rejected with 422', async (precedence, sentence) => {
    expectProblem(await changesNothing(app.pool, () => create({ precedence })), 422, 'Validation failed', sentence)
  })

  test('top_of_spot ranks five above the highest spot session that is not archived', async () => {
    await create({ precedence: 40 })
    await create({ precedence: 900, scheduling_class: 'priority' })
    expect((await create({ place: 'top_of_spot' })).body.session.precedence).toBe(45)
  })

  test('concurrent placements each get their own rank', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ place: 'top_of_spot' })))
    const ranks = answers.map(({ body }) => body.session.precedence).sort((a, b) => a - b)
    expect(ranks).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45, 50])
  })

  test.each([
    [{ place: 'top_of_spot', precedence: 1 }, 'Give either place or precedence, not both'],
    [{ place: 'bottom' }, 'Unknown place: "bottom". Valid: top_of_spot.'],
  ])('POST /sessions rejects the placement %j with 422, and nothing is created', async (request, sentence) => {
    expectProblem(await changesNothing(app.pool, () => create(request)), 422, 'Invalid placement', sentence)
  })
})

describe('POST /sessions, goal, is_autonomous and auto_compact_window', () => {
  test('POST /sessions stores goal, is_autonomous and auto_compact_window as they were sent', async () => {
    const sent = { goal: 'Open a change request and stop.', is_autonomous: false, auto_compact_window: 200_000 }
    expect((await create(sent)).body.session).toMatchObject(sent)
  })

  test('accept a goal of 50,000 characters and reject a longer one with 422', async () => {
    expect((await create({ goal: 'g'.repeat(50_000) })).status).toBe(201)
    expectProblem(
      await changesNothing(app.pool, () => create({ goal: 'g'.repeat(50_001) })),
      422,
      'Validation failed',
      'Goal is too long (maximum 50,000 characters)',
    )
  })

  test.each([0, 1_000_001])('reject an auto_compact_window of %i with 422', async (auto_compact_window) => {
    expect((await changesNothing(app.pool, () => create({ auto_compact_window }))).status).toBe(422)
  })
})
