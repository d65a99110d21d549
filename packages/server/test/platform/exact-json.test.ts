import { describe, expect, test } from 'vitest'
import { parseJson, writeJson } from '../../src/platform/exact-json.ts'
import { testApp, testKey } from '../support/app/app.ts'
import { mcpClient } from '../support/app/mcp-client.ts'

const app = testApp({ environment: { ROLE: 'web' } })

const metadata =
  '{"id": 12345678901234567890, "minus": -9007199254740993, "list": [9007199254740993, {"deep": 99999999999999999999999}], "small": 7, "fraction": 1.5, "text": "12345678901234567890", "__proto__": 9007199254740995}'
const numbers = [
  '12345678901234567890',
  '-9007199254740993',
  '9007199254740993',
  '99999999999999999999999',
  '"12345678901234567890"',
  '9007199254740995',
]

async function textOf(path: string, init: { method?: string; body?: string } = {}): Promise<string> {
  const headers = { 'x-api-key': testKey, 'content-type': 'application/json' }
  return (await app.send(`/api/v1${path}`, { ...init, headers })).text()
}

const idIn = (text: string): number => JSON.parse(text).session.id

describe('large integers in custom_metadata', () => {
  test('come back as they were sent, when a session is created, shown, listed, found and changed', async () => {
    const body = `{"git_root": "/tmp/none", "title": "Exact", "config": {"big": 9007199254740993}, "custom_metadata": ${metadata}}`
    const created = await textOf('/sessions', { method: 'POST', body })
    const id = idIn(created)
    const answers = [
      created,
      await textOf(`/sessions/${id}`),
      await textOf('/sessions'),
      await textOf('/sessions/search?q=12345678901234567890'),
      await textOf(`/sessions/${id}`, { method: 'PATCH', body: `{"custom_metadata": ${metadata}}` }),
      await textOf(`/sessions/${id}/model`, { method: 'PATCH', body: '{"model": "demo"}' }),
    ]
    for (const answer of answers) {
      for (const number of numbers) expect(answer).toMatch(new RegExp(`[:[]${number}[,}\\]]`))
      expect(answer).toContain('"big":9007199254740993')
    }
    const { rows } = await app.pool.query('select custom_metadata::text as stored from sessions where id = $1', [id])
    for (const number of numbers) expect(rows[0].stored).toContain(number)
  })

  test('come back as they were sent through a tool', async () => {
    const { post, call } = mcpClient(app)
    const order = `{"git_root": "/tmp/none", "custom_metadata": ${metadata}}`
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_session","arguments":${order}}}`
    const { result } = JSON.parse(await (await post(message)).text())
    const id = Number(/- id: (\d+)/.exec(result.content[0].text)?.[1])
    expect(await textOf(`/sessions/${id}`)).toContain('"id":12345678901234567890')
    expect((await call('get_session', { id })).text).toContain('id: 12345678901234567890')
  })

  test('elsewhere in a body are refused as numbers', async () => {
    const answer = await textOf('/sessions', {
      method: 'POST',
      body: '{"git_root":"/tmp/none","precedence":12345678901234567890}',
    })
    expect(JSON.parse(answer).message).toMatch(/^Precedence must be less than or equal to/)
  })
})

test.each([
  '{"a":1,"b":[1.5,-0.25,1e+21,"x"]}',
  '[12345678901234567890,-12345678901234567890,9007199254740992]',
  '{"12345678901234567890":"12345678901234567890","q":"\\"12345678901234567890"}',
  '"\\\\u000012345678901234567890"',
])('%s is written as it was read', (text) => {
  expect(writeJson(parseJson(text))).toBe(text)
})
