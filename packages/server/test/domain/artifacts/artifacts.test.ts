import { describe, expect, test } from 'vitest'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { catalogOnDisk, wholeCatalog } from '../../support/app/catalog-app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'
import { insertSession } from '../../support/sessions/session-rows.ts'

const servers = wholeCatalog['mcp.json'] as Record<string, unknown>
const many = (count: number, of: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`many-${n}`, of]))
const folder = await catalogOnDisk({
  ...wholeCatalog,
  'mcp.json': {
    ...servers,
    ...many(51, { type: 'stdio', command: 'node' }),
    signed: { type: 'streamable-http', url: 'https://mcp.test/signed', oauth: { clientId: 'x', clientSecret: 'y' } },
  },
  'plugins.json': {
    ...(wholeCatalog['plugins.json'] as Record<string, unknown>),
    gate: { description: 'Adds a server that needs authorization.', version: '1.0.0', mcp_servers: ['signed'] },
  },
})
const app = testApp({ environment: { CATALOG_PATH: `${folder}/air.json` } })

const resting = (columns: Record<string, unknown> = {}) =>
  insertSession(app.pool, { status: 'needs_input', ...columns })
const change = (id: number, list: string, names: unknown) => app.patch(`/sessions/${id}/${list}`, { [list]: names })
const logs = async (id: number): Promise<string[]> =>
  (await app.pool.query('select content from session_logs where session_id = $1 order by id', [id])).rows.map(
    ({ content }) => content,
  )

const lists = [
  { list: 'mcp_servers', words: 'MCP servers', message: 'MCP servers updated', max: 50, name: 'tracker' },
  { list: 'catalog_skills', words: 'catalog skills', message: 'Catalog skills updated', max: 100, name: 'tidy' },
  { list: 'catalog_hooks', words: 'catalog hooks', message: 'Catalog hooks updated', max: 100, name: 'format' },
  { list: 'catalog_plugins', words: 'catalog plugins', message: 'Catalog plugins updated', max: 50, name: 'kit' },
]

describe.each(lists)('PATCH /sessions/:id/$list', ({ list, words, message, max, name }) => {
  test('PATCH /sessions/:id/<list> replaces the list without blanks and repeats, clears it with an empty list, and logs both changes', async () => {
    const id = await resting()
    const { status, body } = await change(id, list, [` ${name} `, '', name])
    expect([status, body.message, body.session[list]]).toEqual([200, message, [name]])
    expect((await change(id, list, [])).body.session[list]).toEqual([])
    expect(await logs(id)).toEqual([
      `Changed the ${words}: added ${name}. The change applies from the next turn.`,
      `Changed the ${words}: removed ${name}. The change applies from the next turn.`,
    ])
  })

  test('logs nothing if the list does not change', async () => {
    const id = await resting({ [list]: [name] })
    await change(id, list, [name])
    expect(await logs(id)).toEqual([])
  })

  test(`PATCH /sessions/:id/<list> rejects more than ${max} entries, repeats included, with 422 and changes nothing`, async () => {
    const id = await resting()
    expect((await change(id, list, Array(max).fill(name))).status).toBe(200)
    const answer = await changesNothing(app.pool, () => change(id, list, Array(max + 1).fill(name)))
    expectProblem(answer, 422, 'Too many entries', `Too many ${words} (maximum ${max})`)
  })

  test('PATCH /sessions/:id/<list> rejects unknown names, a value that is not an array and a missing list with 422, and an unknown session with 404', async () => {
    const id = await resting()
    const unknown = await changesNothing(app.pool, () => change(id, list, [name, 'nope', 7]))
    expectProblem(unknown, 422, 'Invalid entries', `Invalid ${words}: nope, 7`)
    for (const names of ['x', null, {}, 5]) {
      expectProblem(await change(id, list, names), 422, 'Invalid parameter', `${list} must be an array`)
    }
    const missing = await changesNothing(app.pool, () => app.patch(`/sessions/${id}/${list}`, {}))
    expectProblem(missing, 422, 'Missing parameter', `${list} is required`)
    expectProblem(await change(999_999, list, [name]), 404, 'Not Found')
  })
})

describe('the MCP servers of a session', () => {
  test('the MCP servers of a session are marked mcp_servers_explicitly_empty while the caller has cleared them', async () => {
    const id = await resting({ mcp_servers: ['tracker'] })
    expect((await change(id, 'mcp_servers', [])).body.session.metadata).toEqual({ mcp_servers_explicitly_empty: true })
    expect((await change(id, 'mcp_servers', ['tracker'])).body.session.metadata).toEqual({})
  })

  test('the MCP servers of a session are shown together with the servers of its plugins', async () => {
    const id = await resting({ mcp_servers: ['tracker'] })
    const { body } = await change(id, 'catalog_plugins', ['kit'])
    expect(body.session.all_mcp_servers).toEqual(['tracker', 'search'])
    expect(body).toMatchObject({ oauth_required: false, oauth_required_servers: [] })
  })

  test.each([
    ['mcp_servers', 'signed'],
    ['catalog_plugins', 'gate'],
  ])(
    'park a resting session if they need authorization (%s), show only name and URL, and let it rest again without them',
    async (list, name) => {
      const id = await resting()
      const needs = [{ server_name: 'signed', server_url: 'https://mcp.test/signed' }]
      expect((await change(id, list, [name])).body).toMatchObject({
        session: { status: 'failed', metadata: { failure_reason: 'oauth_required', oauth_required_servers: needs } },
        oauth_required: true,
        oauth_required_servers: needs,
      })
      const { session, oauth_required } = (await change(id, list, [])).body
      expect([oauth_required, session.status]).toEqual([false, 'needs_input'])
      for (const key of ['failure_reason', 'oauth_required_servers']) expect(session.metadata).not.toHaveProperty(key)
    },
  )

  test('the MCP servers of a session do not park one that is blocked on a question, whose turn still runs', async () => {
    const id = await resting({ metadata: { blocked_on_elicitation: true } })
    expect((await change(id, 'mcp_servers', ['signed'])).body).toMatchObject({
      session: { status: 'needs_input', metadata: { blocked_on_elicitation: true } },
      oauth_required: true,
    })
  })

  test('the MCP servers of a session do not park a running session if they need authorization', async () => {
    const id = await resting({ status: 'running' })
    expect((await change(id, 'mcp_servers', ['signed'])).body).toMatchObject({
      session: { status: 'running' },
      oauth_required: true,
    })
  })
})
