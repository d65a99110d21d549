import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { forkSession } from '../../../src/domain/lifecycle/fork.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { entriesOf, findDemo, textOf } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

// Sessions of a whole server whose runtime is the scripted agent, by a row in the runtimes file.

const folder = mkdtempSync(join(tmpdir(), 'yardmaster-runtimes-'))
const file = join(folder, 'runtimes.json')
const row = {
  name: 'scripted',
  driver: 'acp',
  command: process.execPath,
  args: [fileURLToPath(new URL('scripted-agent.mjs', import.meta.url))],
  set_environment: { SCRIPTED_ABILITIES: 'resume' },
}
writeFileSync(file, JSON.stringify({ runtimes: [row] }))
afterAll(() => rm(folder, { recursive: true, force: true }))

const app = testApp({ environment: { RUNTIMES_PATH: file } })
const { create, say, settled, reaches } = sessionHelpers(app)

const scripted = { agent_runtime: 'scripted' }

test('a session continues over several turns and stores its usage', async () => {
  const id = await create('say One\nusage 100 20 30 10', scripted)
  await reaches(id, 'needs_input')
  const { session_id: named } = await findDemo(app, id)
  expect(named).toMatch(/^session-/)
  await say(id, 'recall')
  await settled(id)
  expect((await findDemo(app, id)).session_id).toBe(named)
  const text = await textOf(app, id)
  expect(text).toContain('One')
  expect(text).toContain('["recall"]')
  expect(await entriesOf(app, id)).toHaveLength(4)
  const { rows } = await app.pool.query('select input_tokens from session_usage where session_id = $1', [id])
  expect(rows.map(({ input_tokens }) => Number(input_tokens))).toEqual([100])
})

test('a fork continues from its entry independently', async () => {
  const id = await create('say One', scripted)
  await reaches(id, 'needs_input')
  await say(id, 'say Two')
  await settled(id)
  const fork = await forkSession(app.host.app, { id }, 1)
  await say(fork.id, 'recall')
  await settled(fork.id)
  const entries = await entriesOf(app, fork.id)
  expect(entries).toHaveLength(4)
  const recalled = JSON.stringify(entries.at(-1))
  expect(recalled).toContain('You: One')
  expect(recalled).not.toContain('Two')
})

test('stores the transcript of a subagent, whatever text its facts contain', async () => {
  const id = await create(
    [
      'delegate explorer ls -l',
      `tell ${JSON.stringify({
        ...{ sessionUpdate: 'tool_call', toolCallId: 'C', rawInput: { command: 'pwd' }, status: 'completed' },
        _meta: { claudeCode: { parentToolUseId: `P\0${'p'.repeat(5000)}` } },
      })}`,
    ].join('\n'),
    scripted,
  )
  await reaches(id, 'needs_input')
  const { body } = await app.get(`/sessions/${id}/subagent_transcripts`)
  expect(body.subagent_transcripts.map(({ subagent_type }: { subagent_type: string | null }) => subagent_type)).toEqual(
    expect.arrayContaining(['explorer', null]),
  )
})

test("redacts the agent's text in a notice before truncating it", async () => {
  const key = 'sk-ant-api03-Zk3vQ9xT2mLr8Yw5Bn7Hc1Jd4Fg6Ps0Ae2Uk9Vo3Xi5Ct7Rq1Ny4Mb8Wz6Ljh-AbCdEfGhAA'
  const id = await create(`question ${'x'.repeat(930)} ${key}\nsay Done`, scripted)
  await reaches(id, 'needs_input')
  const { rows } = await app.pool.query('select content from session_logs where session_id = $1', [id])
  const notice = rows.map(({ content }) => content).find((content) => content.includes('asked a question'))
  expect(notice).toMatch(/x{930}/)
  expect(notice).not.toContain('sk-ant')
  expect(notice.length).toBeLessThan(1100)
})

test('an interrupted turn leaves the session ready for the next', async () => {
  const id = await create('stream', scripted)
  await eventually(
    () => entriesOf(app, id),
    (entries) => entries.length === 1,
  )
  await say(id, 'say Instead', { isImmediate: true })
  await settled(id)
  expect(await textOf(app, id)).toContain('Instead')
})
