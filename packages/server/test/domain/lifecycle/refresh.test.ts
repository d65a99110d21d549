import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refreshTranscript } from '../../../src/domain/lifecycle/refresh.ts'
import { testApp, testKey } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { entriesOf, findDemo } from '../../support/sessions/demo-session.ts'

const longKey = `${testKey}-that-is-long-enough-to-be-known-1234567890`
const app = testApp({ environment: { API_KEYS: `${testKey},${longKey}` } })
const { create, rested } = sessionHelpers(app)

const refresh = (id: number) => refreshTranscript(app.host.app, { id })
const fileOf = async (id: number): Promise<string> =>
  join(app.home, 'runtimes', `session-${id}`, 'transcripts', `${(await findDemo(app, id)).session_id}.jsonl`)

test('a refresh appends the new lines of the file, redacted, and answers with the number of entries', async () => {
  const id = await rested()
  const before = await entriesOf(app, id)
  expect(await refresh(id)).toEqual({ sessionId: id, appended: 0, entryCount: before.length, isFileShorter: false })
  await appendFile(
    await fileOf(id),
    `${JSON.stringify({ type: 'user', message: { content: `the key is ${longKey}` } })}\n`,
  )
  expect(await refresh(id)).toEqual({ sessionId: id, appended: 1, entryCount: before.length + 1, isFileShorter: false })
  const after = await entriesOf(app, id)
  expect(after.slice(0, -1)).toEqual(before)
  expect(JSON.stringify(after.at(-1))).toContain('[REDACTED:')
  expect(JSON.stringify(after.at(-1))).not.toContain(longKey)
})

test('concurrent refreshes append each entry once', async () => {
  const id = await rested()
  const { length } = await entriesOf(app, id)
  await appendFile(await fileOf(id), '{"type":"user"}\n{"type":"user"}\n')
  const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(id)))
  expect(answers.reduce((sum, { appended }) => sum + appended, 0)).toBe(2)
  expect(await entriesOf(app, id)).toHaveLength(length + 2)
})

test('a refresh from a file that became shorter removes no entry, and the answer says so', async () => {
  const id = await rested()
  const before = await entriesOf(app, id)
  const [first = ''] = (await readFile(await fileOf(id), 'utf8')).split('\n')
  await writeFile(await fileOf(id), `${first}\n`)
  expect(await refresh(id)).toMatchObject({ appended: 0, entryCount: before.length })
  expect(await entriesOf(app, id)).toEqual(before)
  expect((await app.post(`/sessions/${id}/refresh`)).body.message).toBe(
    `The stored transcript was kept (${before.length} messages): the file on disk is shorter`,
  )
})

test('a refresh of a session that never ran is refused with no_clone', async () => {
  await expect(refresh(await create())).rejects.toMatchObject({
    kind: 'no_clone',
    messages: ['Session has no clone path'],
  })
})

test('a refresh of a session without transcript files is refused with no_transcript_files', async () => {
  const id = await rested()
  await rm(await fileOf(id))
  await expect(refresh(id)).rejects.toMatchObject({
    kind: 'no_transcript_files',
    messages: ['No transcript files found on filesystem'],
  })
})
