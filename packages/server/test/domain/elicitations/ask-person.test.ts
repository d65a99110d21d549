import { limits } from '@yardmaster/contract/limits'
import { expect, test } from 'vitest'
import { askPerson } from '../../../src/domain/elicitations/elicitation.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { permissionQuestion, type Question } from '../../../src/runtimes/question.ts'
import { testApp } from '../../support/app/app.ts'
import { asker } from '../../support/sessions/asking.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp({ environment: { ROLE: 'web' } })
const { running, respond } = asker(app)
const rowsOf = async (id: number) =>
  (await app.pool.query('select * from elicitations where session_id = $1', [id])).rows
const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`

/** Asks as the agent of a running session. */
async function ask(question: Question) {
  const { id, marker } = await running()
  const answer = askPerson(app.host.app, {
    sessionId: id,
    marker,
    question,
    write: (work) => transact(app.host.app.db, work),
    signal: new AbortController().signal,
  })
  return { id, answer }
}

/** The row of the question, which is then declined. */
async function stored(question: Question) {
  const { id, answer } = await ask(question)
  const [row] = await eventually(
    () => rowsOf(id),
    ({ length }) => length === 1,
  )
  await respond(row.request_id, 'decline')
  expect(await answer).toEqual({ action: 'decline' })
  return row
}

test('a question shows all that accepting grants, and says so when its message is cut', async () => {
  const input = { command: 'x'.repeat(20_000) }
  const { message, meta } = await stored(permissionQuestion({ message: `May I? ${input.command}`, input }))
  expect(message.length).toBeLessThanOrEqual(limits.elicitation.message)
  expect(message).toMatch(/x…\n\[Cut: 20007 characters; all of it is in the meta under com\.yardmaster\/input\]$/)
  expect(JSON.parse(meta['com.yardmaster/input'])).toEqual(input)
})

test('a question says that the rest cannot be shown when what accepting grants is larger than the limit', async () => {
  const input = { command: 'x'.repeat(limits.elicitation.objectCharacters) }
  const { message, meta } = await stored(permissionQuestion({ message: `May I? ${input.command}`, input }))
  expect(message).toMatch(/the rest is too long to be shown\]$/)
  expect(meta).not.toHaveProperty('com.yardmaster/input')
})

test('a secret at the place where a message is cut is redacted before it is cut', async () => {
  const message = `${'x'.repeat(limits.elicitation.message - 150)} ${secret} ${'y'.repeat(500)}`
  for (const offset of [0, 20, 40, 60, 80, 100, 120]) {
    const row = await stored(permissionQuestion({ message: message.slice(offset), input: { key: secret } }))
    expect(JSON.stringify(row)).not.toContain(secret.slice(0, 12))
  }
})

test('a question that is blank or holds a NUL or half of a surrogate pair is asked all the same', async () => {
  expect((await stored(permissionQuestion({ message: ' \0 ' }))).message).toBe('The agent asks for your answer.')
  const row = await stored(
    permissionQuestion({ message: 'a\0b\ud800', toolName: 'x\0', context: '\0y', input: ['\0'] }),
  )
  expect(row).toMatchObject({ message: 'ab\ufffd', tool_name: 'x', context: 'y' })
})

const nested = (depth: number): unknown => (depth === 0 ? {} : { items: nested(depth - 1) })

test.each([
  ['is too large', { title: 'x'.repeat(limits.elicitation.objectCharacters) }],
  ['is nested too deeply', { properties: nested(200) }],
  ['holds a NUL', { title: '\0' }],
])('a question of an agent whose form %s is declined, and the session says so', async (_, schema) => {
  const { id, answer } = await ask({ message: 'Which one?', schema })
  expect(await answer).toEqual({ action: 'decline' })
  expect(await rowsOf(id)).toEqual([])
  const { rows } = await app.pool.query('select content from session_logs where session_id = $1', [id])
  expect(rows).toMatchObject([{ content: expect.stringContaining('cannot be stored: Which one?') }])
})
