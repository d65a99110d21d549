import { beforeEach, describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../../support/app/app.ts'
import { changesNothing } from '../../../support/app/changes-nothing.ts'
import { emptyTables } from '../../../support/database/empty-tables.ts'
import { insertSession } from '../../../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web' } })

beforeEach(async () => {
  await emptyTables(app.pool, 'sessions', 'events')
})

const request = { git_root: '/srv/repositories/widgets', agent_runtime: 'demo', prompt: 'say hello' }
const create = (body: Record<string, unknown>) => app.post('/sessions', { ...request, ...body })

/** One character that takes two UTF-16 code units. */
const astral = '🚂'

describe('POST /sessions accepts a text at its limit, counted in characters', () => {
  const limits: [key: string, limit: number][] = [
    ['prompt', 500_000],
    ['title', 100],
    ['idempotency_key', 255],
    ['subdirectory', 1024],
  ]
  test.each(limits)(
    'POST /sessions accepts a text at its limit, counted in characters for %s with %i astral characters',
    async (key, limit) => {
      const { status, body } = await create({ [key]: astral.repeat(limit) })
      expect(status).toBe(201)
      expect(body.session[key] === astral.repeat(limit)).toBe(true)
    },
  )

  const longest: [key: string, value: string][] = [
    ['slug', 'x'.repeat(255)],
    ['git_root', `/${'x'.repeat(2047)}`],
    ['branch', 'x'.repeat(250)],
  ]
  test.each(longest)(
    'POST /sessions accepts a text at its limit, counted in characters for the longest %s',
    async (key, value) => {
      const { status, body } = await create({ [key]: value })
      expect([status, body.session[key]]).toEqual([201, value])
    },
  )
})

describe('POST /sessions answers 422 Validation failed and changes nothing', () => {
  const tooLong: [key: string, value: string, message: string][] = [
    ['prompt', astral.repeat(500_001), 'Prompt is too long (maximum 500,000 characters)'],
    ['title', astral.repeat(101), 'Title is too long (maximum 100 characters)'],
    ['idempotency_key', astral.repeat(256), 'Idempotency key is too long (maximum is 255 characters)'],
    ['subdirectory', astral.repeat(1025), 'Subdirectory is too long (maximum is 1024 characters)'],
    ['slug', 'x'.repeat(256), 'Slug is too long (maximum is 255 characters)'],
    ['git_root', `/${'x'.repeat(2048)}`, 'Git root is too long (maximum is 2048 characters)'],
    ['branch', 'x'.repeat(251), 'Branch is too long (maximum is 250 characters)'],
  ]
  test.each(tooLong)(
    'POST /sessions answers 422 Validation failed and changes nothing for a %s one character over its limit',
    async (key, value, message) => {
      const answer = await changesNothing(app.pool, () => create({ [key]: value }))
      expectProblem(answer, 422, 'Validation failed', message)
    },
  )

  test.each([[undefined], [null], [''], ['  \n ']])(
    'POST /sessions answers 422 Validation failed and changes nothing for the git_root %j',
    async (git_root) => {
      const answer = await changesNothing(app.pool, () => create({ git_root }))
      expectProblem(answer, 422, 'Validation failed', "Git root can't be blank")
    },
  )

  test.each([
    'widgets',
    './widgets',
    '../widgets',
    'C:\\widgets',
    'ftp://forge.example/widgets',
    'https://',
    'https:///widgets',
    'https://forge.example/wid gets',
    'https://forge.example/a?b',
    '--upload-pack=touch /tmp/x',
    'ext::sh -c touch% /tmp/x',
    'ssh://-oProxyCommand=touch/x',
    '/srv/a\nb',
    '/srv/../etc',
    'user@host',
  ])(
    'POST /sessions answers 422 Validation failed and changes nothing for the git_root %j, and the message says what is valid',
    async (git_root) => {
      const answer = await changesNothing(app.pool, () => create({ git_root }))
      expectProblem(answer, 422, 'Validation failed')
      expect(answer.body.message).toMatch(/^Git root must be a valid URL or git path/)
    },
  )

  test.each([' ', 'a b', '-x', 'a..b', 'HEAD', '@', 'main~1', 'x.lock', 'a\\b', '/x', 'a//b', 'refs^{}', 'a\u0007b'])(
    'POST /sessions answers 422 Validation failed and changes nothing for the branch %j',
    async (branch) => {
      const answer = await changesNothing(app.pool, () => create({ branch }))
      expectProblem(answer, 422, 'Validation failed', 'Branch is not a valid branch name')
    },
  )

  test.each(['/etc', '..', '../x', 'a/../../b', 'a/..'])(
    'POST /sessions answers 422 Validation failed and changes nothing for the subdirectory %j',
    async (subdirectory) => {
      const answer = await changesNothing(app.pool, () => create({ subdirectory }))
      expectProblem(answer, 422, 'Validation failed', 'Subdirectory must be a relative path inside the repository')
    },
  )

  test.each(['', 'Tidy', 'a_b', 'a b', 'ü', 'a.b', 'a/b', '-x\n'])(
    'POST /sessions answers 422 Validation failed and changes nothing for the slug %j',
    async (slug) => {
      const answer = await changesNothing(app.pool, () => create({ slug }))
      expectProblem(answer, 422, 'Validation failed', 'Slug only allows lowercase letters, numbers, and hyphens')
    },
  )

  test.each(['0', '123', '20260822'])(
    'POST /sessions answers 422 Validation failed and changes nothing for the slug %j, which reads as an id',
    async (slug) => {
      const answer = await changesNothing(app.pool, () => create({ slug }))
      expectProblem(answer, 422, 'Validation failed', "Slug can't be all digits")
    },
  )

  test('POST /sessions answers 422 Validation failed and changes nothing for a slug that another session has', async () => {
    await insertSession(app.pool, { slug: 'taken' })
    const answer = await changesNothing(app.pool, () => create({ slug: 'taken' }))
    expectProblem(answer, 422, 'Validation failed', 'Slug has already been taken')
  })

  test.each(['runtime_gamma', 'Demo', 'constructor', '__proto__'])(
    'POST /sessions answers 422 Validation failed and changes nothing for the agent_runtime %j',
    async (agent_runtime) => {
      const answer = await changesNothing(app.pool, () => create({ agent_runtime }))
      expectProblem(answer, 422, 'Validation failed', `Agent runtime ${agent_runtime} is not a valid agent runtime`)
    },
  )

  const wrongTypes: [key: string, value: unknown, message: string][] = [
    ['prompt', 5, 'Prompt must be a string'],
    ['prompt', ['say hello'], 'Prompt must be a string'],
    ['git_root', {}, 'Git root must be a string'],
    ['branch', true, 'Branch must be a string'],
    ['subdirectory', 1, 'Subdirectory must be a string'],
    ['title', [], 'Title must be a string'],
    ['slug', 5, 'Slug must be a string'],
    ['agent_runtime', {}, 'Agent runtime must be a string'],
    ['agent_root', 7, 'Agent root must be a string'],
    ['idempotency_key', 5, 'Idempotency key must be a string'],
    ['config', [], 'Config must be an object'],
    ['config', 'model', 'Config must be an object'],
    ['custom_metadata', [], 'Custom metadata must be an object'],
    ['custom_metadata', 'x', 'Custom metadata must be an object'],
    ['custom_metadata', 1, 'Custom metadata must be an object'],
  ]
  test.each(wrongTypes)(
    'POST /sessions answers 422 Validation failed and changes nothing for the %s %j',
    async (key, value, message) => {
      const answer = await changesNothing(app.pool, () => create({ [key]: value }))
      expectProblem(answer, 422, 'Validation failed', message)
    },
  )

  test('POST /sessions answers 422 Validation failed and changes nothing and lists every problem that the schema finds', async () => {
    const answer = await changesNothing(app.pool, () =>
      create({ title: 'x'.repeat(101), slug: 'A', custom_metadata: [], prompt: 1 }),
    )
    expectProblem(answer, 422, 'Validation failed')
    expect(answer.body.messages.toSorted()).toEqual([
      'Custom metadata must be an object',
      'Prompt must be a string',
      'Slug only allows lowercase letters, numbers, and hyphens',
      'Title is too long (maximum 100 characters)',
    ])
  })

  test('POST /sessions answers 422 Validation failed and changes nothing and lists every problem that the catalog, git and runtime checks find', async () => {
    const answer = await changesNothing(app.pool, () =>
      create({ git_root: '', branch: 'a b', subdirectory: '..', agent_runtime: 'runtime_gamma' }),
    )
    expectProblem(answer, 422, 'Validation failed')
    expect(answer.body.messages.toSorted()).toEqual([
      'Agent runtime runtime_gamma is not a valid agent runtime',
      'Branch is not a valid branch name',
      "Git root can't be blank",
      'Subdirectory must be a relative path inside the repository',
    ])
  })

  test('POST /sessions answers 422 Validation failed and changes nothing for an empty body', async () => {
    const answer = await changesNothing(app.pool, () => app.post('/sessions'))
    expectProblem(answer, 422, 'Validation failed', "Git root can't be blank")
  })
})

describe('POST /sessions answers 422 Invalid agent_root and changes nothing', () => {
  test.each(['widgets', 'no such root'])(
    'POST /sessions answers 422 Invalid agent_root and changes nothing for %j, naming it',
    async (agent_root) => {
      const answer = await changesNothing(app.pool, () => create({ agent_root }))
      expectProblem(answer, 422, 'Invalid agent_root')
      expect(answer.body.message).toContain(agent_root)
    },
  )

  test.each([[null], ['']])('POST /sessions accepts the agent_root %j, which counts as absent', async (agent_root) => {
    expect((await create({ agent_root })).status).toBe(201)
  })
})
