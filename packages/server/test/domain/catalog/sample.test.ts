import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { sampleRepository } from '../../../src/app/sample-repository.ts'
import { equipFromCatalog } from '../../../src/domain/catalog/catalog.ts'
import { startTestApp, testApp } from '../../support/app/app.ts'
import { problemOf } from '../../support/app/catalog-folder.ts'
import { atRest } from '../../support/sessions/demo-session.ts'

const app = testApp()

test('a fresh start loads the sample catalog without warnings', async () => {
  const { body } = await app.get('/configs')
  expect((await app.get('/catalog')).body.catalog).toMatchObject({
    name: 'sample',
    degraded: false,
    error: null,
    warnings: [],
  })
  expect(body.agent_roots).toMatchObject([
    { name: 'orchestrator', default: false, user_invocable: false },
    { name: 'outcome_analyzer', default: false, user_invocable: false },
    { name: 'sample', default: true, default_plugins: ['first-steps'] },
  ])
  expect(body.mcp_servers).toMatchObject([{ name: 'yard-clock', unavailable: false }])
  expect(body.goals).toHaveLength(2)
  expect((await app.get('/skills')).body.skills).toHaveLength(1)
  expect((await app.get('/hooks')).body.hooks).toHaveLength(1)
  expect((await app.get('/plugins')).body.plugins).toHaveLength(1)
})

test('a session on the root of the sample catalog runs', async () => {
  await sampleRepository(app.host.app.home)
  const { status, body } = await app.post('/sessions', { agent_root: 'sample', prompt: 'run ls' })
  expect(status).toBe(201)
  expect(body.session.all_mcp_servers).toEqual(['yard-clock'])
  expect(await atRest(app, body.session.id)).toMatchObject({ status: 'needs_input' })
})

test('the sample MCP server initializes, lists its tool and returns the time', async () => {
  const lists = { mcp_servers: ['yard-clock'], catalog_skills: [], catalog_hooks: [], catalog_plugins: [] }
  const { mcpServers, leftOut } = await equipFromCatalog(app.host.app.catalog, lists)
  expect(leftOut).toEqual([])
  const [server] = mcpServers
  if (server?.kind !== 'stdio') throw new Error('the clock is a stdio server')
  const child = spawn(process.execPath, [...server.args], {
    env: { ...server.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.stdin.end()
    await once(child, 'exit')
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (message: Record<string, unknown>) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    return JSON.parse((await answers.next()).value)
  }
  expect(await ask({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } })).toMatchObject({
    id: 1,
    result: { protocolVersion: '2025-06-18', serverInfo: { name: 'yard-clock' } },
  })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  expect(await ask({ id: 2, method: 'tools/list' })).toMatchObject({ result: { tools: [{ name: 'now' }] } })
  const call = { method: 'tools/call', params: { name: 'now', arguments: { time_zone: 'Asia/Tokyo' } } }
  expect((await ask({ id: 3, ...call })).result.content[0].text).toMatch(/^\w+day.* \d{4} at \d\d:\d\d:\d\d GMT\+9$/)
  const nowhere = { method: 'tools/call', params: { name: 'now', arguments: { time_zone: 'Nowhere' } } }
  expect(await ask({ id: 4, ...nowhere })).toMatchObject({ result: { isError: true } })
  expect(await ask({ id: 5, method: 'toString' })).toMatchObject({ error: { code: -32_601 } })
})

test('a start with an invalid catalog fails with one message', async () => {
  const start = startTestApp({ environment: { CATALOG_PATH: '/nowhere/air.json' } })
  await expect(start).rejects.toThrow(
    'The catalog /nowhere/air.json cannot be used: /nowhere/air.json: does not exist.',
  )
  expect(await problemOf({})).toBe('nothing')
})
