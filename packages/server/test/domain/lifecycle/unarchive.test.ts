import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { unarchiveSession } from '../../../src/domain/lifecycle/unarchive.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { entriesOf, findDemo } from '../../support/sessions/demo-session.ts'

const app = testApp()
const { create, rested, say, reaches } = sessionHelpers(app)

const clone = (id: number) => join(app.home, 'clones', `session-${id}`)
const runtimeFolder = (id: number) => join(app.home, 'runtimes', `session-${id}`)
const unarchive = (id: number) => unarchiveSession(app.host.app, { id })

async function archived(): Promise<number> {
  const id = await rested()
  await archiveSession(app.host.app, { id }, { force: false })
  return id
}

test('an unarchive of a session whose clone still exists restores it unchanged', async () => {
  const id = await archived()
  expect(await unarchive(id)).toMatchObject({
    session: { status: 'needs_input', archived_at: null, trash_after: null },
    cloneRestored: false,
    message: 'Session restored from trash',
  })
})

test('an unarchive recreates a deleted clone and conversation, and the agent continues the conversation', async () => {
  const id = await archived()
  const before = await entriesOf(app, id)
  await rm(clone(id), { recursive: true })
  await rm(runtimeFolder(id), { recursive: true })
  expect(await unarchive(id)).toMatchObject({
    session: { status: 'needs_input' },
    cloneRestored: true,
    message: 'Session restored from trash with clone restored',
  })
  expect((await stat(join(clone(id), 'README.md'))).isFile()).toBe(true)
  const { session_id } = await findDemo(app, id)
  const file = join(runtimeFolder(id), 'transcripts', `${session_id}.jsonl`)
  expect(
    (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(before)

  await say(id, 'say again')
  await reaches(id, 'needs_input')
  const after = await entriesOf(app, id)
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after.slice(before.length).map(({ type }) => type)).toEqual(['user', 'assistant'])
})

test('concurrent unarchives restore the session once, and every caller is answered', async () => {
  const id = await archived()
  await rm(clone(id), { recursive: true })
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => unarchive(id)))
  for (const answer of answers) {
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ kind: 'not_archived' })
    else expect(answer.value.session.status).toBe('needs_input')
  }
  const { rows } = await app.pool.query(
    "select from session_transitions where session_id = $1 and cause = 'unarchive'",
    [id],
  )
  expect(rows).toHaveLength(1)
  expect((await readdir(join(app.home, 'clones'))).filter((name) => name.includes(`session-${id}.`))).toEqual([])
})

test('an unarchive of a session that never ran creates no clone', async () => {
  const id = await create()
  await archiveSession(app.host.app, { id }, { force: false })
  expect(await unarchive(id)).toMatchObject({ session: { status: 'needs_input' }, cloneRestored: false })
})

test('an unarchive of a session that is not archived is refused', async () => {
  await expect(unarchive(await rested())).rejects.toMatchObject({
    kind: 'not_archived',
    messages: ['Session is not in trash'],
  })
})

test('a session whose clone cannot be recreated stays archived, and the unarchive is refused', async () => {
  const id = await archived()
  await rm(clone(id), { recursive: true })
  await app.pool.query("update sessions set git_root = '/no/such/repository' where id = $1", [id])
  await expect(unarchive(id)).rejects.toMatchObject({ kind: 'restore_failed' })
  expect((await findDemo(app, id)).status).toBe('archived')
})
