import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { testApp } from '../../support/app/app.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { entriesOf, textOf } from '../../support/sessions/demo-session.ts'
import { makeNextAgentIgnorePrompt } from '../../support/sessions/ignored-prompt.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, rested, busy, say, queue, reaches, settled, logs, messages } = sessionHelpers(app)

async function upload(name: string, content: string | Buffer): Promise<{ id: string; reference: string }> {
  const { status, body } = await app.post('/attachments', { name, content: Buffer.from(content).toString('base64') })
  expect(status).toBe(201)
  return body.attachment
}

const folderOf = (id: number): string => join(app.home, 'runtimes', `session-${id}`, 'attachments')
const keeperOf = async (id: string): Promise<number | null> =>
  (await app.get(`/attachments/${id}`)).body.attachment.session_id
const finds = (id: number, text: string) =>
  eventually(
    () => textOf(app, id),
    (transcript) => transcript.includes(text),
  )

/** A turn that names no file works, and the session's log says which file of an earlier prompt is missing. */
async function goesOnWithout(id: number, sentence: string): Promise<void> {
  await say(id, 'say still at work')
  await settled(id)
  expect((await app.get(`/sessions/${id}`)).body.session.status).toBe('needs_input')
  expect(await textOf(app, id)).toContain('--- Assistant ---\nstill at work')
  await eventually(
    () => logs(id),
    (lines) => lines.includes(sentence),
  )
}

describe('a file that a prompt names', () => {
  test('a file that a prompt names is where the agent of a new session reads it, byte by byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 256))
    const file = await upload('all bytes.bin', bytes)
    const id = await create(`run sha256sum < ${file.reference}`)
    await reaches(id, 'needs_input')
    const digest = createHash('sha256').update(bytes).digest('hex')
    expect(await textOf(app, id)).toContain(digest)
    expect(await keeperOf(file.id)).toBe(id)
  })

  test('a file that a prompt names has its path in the prompt of the agent, and its reference in that of the API', async () => {
    const file = await upload('notes.txt', 'remember the milk\n')
    const id = await create(`run cat ${file.reference}`)
    const session = await reaches(id, 'needs_input')
    const [prompt] = await entriesOf(app, id)
    expect(prompt.message.content).toBe(`run cat ${join(folderOf(id), file.id, 'notes.txt')}`)
    expect(session.prompt).toBe(`run cat ${file.reference}`)
  })

  test('a file that a prompt names is not in the clone, so it cannot be committed', async () => {
    const file = await upload('notes.txt', 'remember the milk\n')
    const id = await create(`say see ${file.reference}.\nrun git status --porcelain --ignored; echo status done`)
    await reaches(id, 'needs_input')
    expect(await readdir(join(folderOf(id), file.id))).toEqual(['notes.txt'])
    const [, , , result] = await entriesOf(app, id)
    expect(result.message.content[0].content).toBe('status done\n')
  })

  test('a file that a prompt names reaches the agent by a follow-up, and by a message that was queued and edited', async () => {
    const [first, second] = [await upload('one.txt', 'by follow-up'), await upload('two.txt', 'by queue')]
    const { id, release } = await busy()
    await say(id, `run cat ${first.reference}`)
    const message = await queue(id, 'say nothing yet')
    await app.patch(`/sessions/${id}/enqueued_messages/${message.id}`, { content: `run cat ${second.reference}` })
    // Both belong to the session from the moment at which their prompts were accepted.
    expect([await keeperOf(first.id), await keeperOf(second.id)]).toEqual([id, id])
    await release()
    await finds(id, 'by follow-up')
    await finds(id, 'by queue')
  })

  test('a file that a prompt names is delivered with a prompt that its first agent never received', async () => {
    const file = await upload('late.txt', 'delivered later')
    const id = await rested()
    makeNextAgentIgnorePrompt()
    await say(id, `run cat ${file.reference}`)
    await reaches(id, 'running')
    await pauseSession(app.host.app, { id })
    await settled(id)
    expect(await messages(id)).toMatchObject([{ content: `run cat ${file.reference}`, status: 'pending' }])
    await app.post(`/sessions/${id}/restart`)
    await finds(id, 'delivered later')
  })

  test('a file that an earlier prompt named is there again when it is missing on the host', async () => {
    const file = await upload('kept.txt', 'still here')
    const id = await create(`run cat ${file.reference}`)
    await reaches(id, 'needs_input')
    await rm(folderOf(id), { recursive: true })
    await say(id, `run cat ${join(folderOf(id), file.id, 'kept.txt')} | tr a-z A-Z`)
    await finds(id, 'STILL HERE')
  })

  test('a file that a prompt names stays with the first of two sessions, and both agents get it', async () => {
    const file = await upload('shared.txt', 'for both')
    const ids = await Promise.all([1, 2].map(() => create(`run cat ${file.reference}`)))
    for (const id of ids) await finds(id, 'for both')
    expect(ids).toContain(await keeperOf(file.id))
  })

  test('a file that a prompt names and that was deleted leaves its reference in the prompt, and a line in the log', async () => {
    const file = await upload('gone.txt', 'gone')
    await app.delete(`/attachments/${file.id}`)
    const id = await create(`say look at ${file.reference}`)
    await reaches(id, 'needs_input')
    expect(await textOf(app, id)).toContain(`look at ${file.reference}`)
    await eventually(
      () => logs(id),
      (lines) => lines.includes(`The prompt names a file that is not stored: ${file.reference}.`),
    )
  })

  test.each([
    ['decomposed', (reference: string) => reference.normalize('NFD'), ''],
    ['cut off', (reference: string) => reference.slice(0, -5), ''],
    ['written by hand', (reference: string) => reference.replace('größe', 'size'), ''],
    ['followed by a word without a space', (reference: string) => `${reference}を見て`, 'を見て'],
  ])('a file that a prompt names is delivered if its name is %s', async (_case, written, rest) => {
    const file = await upload('größe.txt', 'found by its id')
    const id = await create(`say ${written(file.reference)}`)
    await reaches(id, 'needs_input')
    const [prompt] = await entriesOf(app, id)
    const path = join(folderOf(id), file.id, 'größe.txt')
    expect(prompt.message.content).toBe(`say ${path}${rest}`)
    expect(await readFile(path, 'utf8')).toBe('found by its id')
  })

  test('a file that a prompt names and that the file system refuses fails no later turn that does not name it', async () => {
    const file = await upload('refused.txt', 'x')
    const id = await create(`run cat ${file.reference}`)
    await reaches(id, 'needs_input')
    // No file system takes a name of this length, from root either.
    const name = 'x'.repeat(300)
    await app.pool.query('update attachments set name = $2 where id = $1', [file.id, name])
    await goesOnWithout(id, `The file ${name} of an earlier prompt is not there: it cannot be written (ENAMETOOLONG).`)
  })

  test('of more than 20 files that a prompt names, those after the twentieth stay references', async () => {
    const files = await Promise.all(Array.from({ length: 21 }, (_, index) => upload(`${index}.txt`, `file ${index}`)))
    const id = await create(files.map(({ reference }) => `say ${reference}`).join('\n'))
    await reaches(id, 'needs_input')
    expect(await readdir(folderOf(id))).toHaveLength(20)
    const [prompt] = await entriesOf(app, id)
    expect(prompt.message.content.match(/attachment:/g)).toHaveLength(1)
    expect(await keeperOf(files[20]?.id ?? '')).toBe(null)
    await eventually(
      () => logs(id),
      (lines) => lines.includes('The prompt names more than 20 files. The agent does not get the others.'),
    )
  })
})

describe('an agent that tampers with its files', () => {
  test('an agent that works on its copy of a file finds its work in the next turn', async () => {
    const file = await upload('report.md', 'draft\n')
    const id = await create(`run echo written by the agent >> ${file.reference}`)
    await reaches(id, 'needs_input')
    await say(id, `run tr a-z A-Z < ${file.reference}`)
    await settled(id)
    expect(await textOf(app, id)).toContain('DRAFT\nWRITTEN BY THE AGENT')
    // What was uploaded stays as it is.
    expect((await app.get(`/attachments/${file.id}`)).body.content).toBe(Buffer.from('draft\n').toString('base64'))
  })

  test('an agent that has a file cut to nothing, as a crash of its machine does, gets the file again', async () => {
    const file = await upload('cut.txt', 'whole again')
    const id = await create(`run : > ${file.reference}`)
    await reaches(id, 'needs_input')
    await say(id, `run tr a-z A-Z < ${file.reference}`)
    await finds(id, 'WHOLE AGAIN')
  })

  test('an agent that puts a link in place of the folder of its files has us write nowhere else', async () => {
    const target = join(app.home, 'elsewhere')
    await mkdir(target)
    const id = await rested()
    await symlink(target, folderOf(id))
    const file = await upload('trap.txt', 'caught')
    await say(id, `run cat ${file.reference}`)
    const session = await reaches(id, 'failed')
    expect(session.metadata.exit_status).toContain('attachments is not a folder')
    expect(await readdir(target)).toEqual([])
  })

  test('an agent that damages the folder of an earlier file does not fail the turns that do not name it', async () => {
    const file = await upload('damaged.txt', 'x')
    const id = await create(`run rm -r $(dirname ${file.reference}); touch $(dirname ${file.reference})`)
    await reaches(id, 'needs_input')
    const sentence = `The file damaged.txt of an earlier prompt is not there: attachments/${file.id} is not a folder.`
    await goesOnWithout(id, sentence)
    await say(id, `run cat ${file.reference}`)
    expect((await reaches(id, 'failed')).metadata.exit_status).toContain('is not a folder')
  })

  test('an agent that puts a pipe in place of a file gets the file again', async () => {
    const file = await upload('pipe.txt', 'no pipe')
    const id = await create(`run rm -f ${file.reference}; mkfifo ${file.reference}`)
    await reaches(id, 'needs_input')
    await say(id, `run cat ${file.reference}`)
    await finds(id, 'no pipe')
  })
})

/** As when `trash_after` has passed. */
async function emptyTrashOf(id: number): Promise<void> {
  await app.pool.query("update sessions set trash_after = now() - interval '1 second' where id = $1", [id])
  await runPeriodic(app.host.app, 'delete_trashed_attachments')
}

const statusOf = async ({ id }: { id: string }): Promise<number> => (await app.get(`/attachments/${id}`)).status

describe('the files of a session that goes', () => {
  test('the files of a session that goes are deleted with the session', async () => {
    const file = await upload('a.txt', 'a')
    const id = await create(`run cat ${file.reference}`)
    await reaches(id, 'needs_input')
    await app.delete(`/sessions/${id}`)
    expect((await app.get(`/attachments/${file.id}`)).status).toBe(404)
  })

  test('the files of a session that goes to the trash are deleted after trash_after, and not before', async () => {
    const file = await upload('a.txt', 'a')
    const id = await create(`run cat ${file.reference}`)
    await reaches(id, 'needs_input')
    await archiveSession(app.host.app, { id }, { force: false })
    await runPeriodic(app.host.app, 'delete_trashed_attachments')
    expect(await statusOf(file)).toBe(200)
    await emptyTrashOf(id)
    expect(await statusOf(file)).toBe(404)
  })

  test('the files of a session whose host is gone are deleted after trash_after all the same', async () => {
    const file = await upload('a.txt', 'a')
    const id = await create(`run cat ${file.reference}`)
    await reaches(id, 'needs_input')
    await app.pool.query(`update sessions set host_id = '${randomUUID()}' where id = $1`, [id])
    await archiveSession(app.host.app, { id }, { force: false })
    await emptyTrashOf(id)
    expect(await statusOf(file)).toBe(404)
  })

  test('the files of a session that goes to the trash before any host has run it are deleted after trash_after', async () => {
    await app.patch('/settings', { spot_gating_enabled: true, spot_max_concurrent_sessions: 1 })
    const { release } = await busy()
    const file = await upload('a.txt', 'a')
    const id = await create(`run cat ${file.reference}`)
    await archiveSession(app.host.app, { id }, { force: true })
    expect((await app.pool.query('select host_id from sessions where id = $1', [id])).rows).toEqual([{ host_id: null }])
    await emptyTrashOf(id)
    expect(await statusOf(file)).toBe(404)
    await release()
    await app.patch('/settings', { spot_gating_enabled: false })
  })

  test('a session that is taken out of the trash while trashed files are deleted keeps its files', async () => {
    const file = await upload('a.txt', 'a')
    const id = await create(`run cat ${file.reference}`)
    await reaches(id, 'needs_input')
    await archiveSession(app.host.app, { id }, { force: false })
    await app.pool.query("update sessions set trash_after = now() - interval '1 second' where id = $1", [id])
    const client = await app.pool.connect()
    try {
      await client.query('begin')
      await client.query("update sessions set status = 'needs_input', archived_at = null where id = $1", [id])
      await runPeriodic(app.host.app, 'delete_trashed_attachments')
      await client.query('commit')
    } finally {
      client.release()
    }
    expect(await statusOf(file)).toBe(200)
  })
})
