import { expect, test } from 'vitest'
import { type Answer, testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'

const app = testApp()
const { create, settled, say } = sessionHelpers(app)
/** In two parts, so that no scanner finds it here. */
const secret = ['ghp', 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789'].join('_')

test('the entries of real turns name their turn, their tools and their subagent, and turns name their first entry', async () => {
  const id = await create(['think first', 'run echo one', 'spawn say from below'].join('\n'))
  await settled(id)
  await say(id, 'say two')
  await settled(id)

  const { entries } = (await app.get(`/sessions/${id}/entries`)).body
  const second = entries.findIndex(({ kind, sequence }: Answer['body']) => kind === 'prompt' && sequence > 1)
  expect(entries.map(({ turn }: Answer['body']) => turn)).toEqual(
    entries.map((_: unknown, index: number) => (index < second ? 1 : 2)),
  )
  const { turns } = (await app.get(`/sessions/${id}/turns`)).body
  expect(
    turns.map(({ number, source, outcome, first_entry }: Answer['body']) => [number, source, outcome, first_entry]),
  ).toEqual([
    [2, 'follow_up', 'completed', second + 1],
    [1, 'create', 'completed', 1],
  ])

  const parts: Answer['body'][] = entries.flatMap((entry: Answer['body']) => entry.parts)
  const ran = parts.find(({ type, tool_name }) => type === 'tool_call' && tool_name === 'run')
  expect(ran.summary).toBe('echo one')
  expect(
    parts.find(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === ran.tool_use_id),
  ).toMatchObject({
    tool_name: 'run',
    text: 'one\n',
    is_error: false,
  })
  const { subagent } = parts.find(({ subagent: started }) => started !== null)
  expect(subagent.status).toBe('completed')
  const below = await app.get(`/sessions/${id}/entries?thread=${subagent.thread}`)
  expect(below.body.entries.flatMap((entry: Answer['body']) => entry.parts)).toContainEqual(
    expect.objectContaining({ type: 'text', text: 'from below' }),
  )
})

test('neither entries nor the excerpts of a search show a secret that the agent printed', async () => {
  const id = await create(`run printf 'a heron has %s' ${secret}`)
  await settled(id)
  const entries = await app.get(`/sessions/${id}/entries`)
  const sequence = entries.body.entries.find(({ kind }: Answer['body']) => kind === 'tool_result').sequence
  const part = await app.get(`/sessions/${id}/entries/${sequence}/parts/0`)
  const found = await app.get('/sessions/search?search_contents=true&include_matches=true&q=a+heron+has')
  expect(part.body.part.text).toBe('a heron has [REDACTED:FORGE_TOKEN]')
  expect(found.body.matches[id].at(-1).excerpt).toContain('a heron has [REDACTED:FORGE_TOKEN]')
  expect(JSON.stringify([entries.body, part.body, found.body.matches])).not.toContain(secret)
})
