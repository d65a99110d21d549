import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { interruptWithMessage } from '../../src/domain/conversation/interrupt.ts'
import { enqueueMessage } from '../../src/domain/conversation/messages.ts'
import { followUp } from '../../src/domain/conversation/speak.ts'
import { archiveSession } from '../../src/domain/sessions/lifecycle/archive.ts'
import { pauseSession } from '../../src/domain/sessions/lifecycle/pause.ts'
import { restartSession } from '../../src/domain/sessions/lifecycle/restart.ts'
import { putToSleep } from '../../src/domain/sessions/lifecycle/sleep.ts'
import { unarchiveSession } from '../../src/domain/sessions/lifecycle/unarchive.ts'
import { sampleRepository, testApp } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'

const app = testApp()
let repository: string

beforeAll(async () => {
  repository = await sampleRepository(join(app.home, 'repository'))
})

async function create(prompt: string): Promise<number> {
  const answer = await app.post('/sessions', { git_root: repository, prompt, agent_runtime: 'demo' })
  expect(answer.status).toBe(201)
  return answer.body.session.id
}

const status = async (id: number): Promise<string> => (await app.get(`/sessions/${id}`)).body.session.status
const reaches = (id: number, wanted: string) =>
  eventually(
    () => status(id),
    (now) => now === wanted,
  )
const transcript = async (id: number): Promise<string> => {
  const { status, body } = await app.get(`/sessions/${id}/transcript?format=text`)
  return status === 200 ? body : ''
}
const say = (id: number, prompt: string, isImmediate = false) =>
  followUp(app.host.app, { id }, { prompt, goal: null, isImmediate })

describe('a follow-up', () => {
  test('to a resting session is its next turn, at once', async () => {
    const id = await create('say one')
    await reaches(id, 'needs_input')
    const { delivery, session } = await say(id, 'say two')
    expect(delivery).toBe('sent')
    expect(session).toMatchObject({ status: 'waiting', prompt: 'say two', running_job_id: expect.any(String) })
    await eventually(
      () => transcript(id),
      (text) => text.includes('two'),
    )
    await reaches(id, 'needs_input')
  })

  test('to a running session is queued and delivered when the turn ends, in order', async () => {
    const id = await create('sleep 1')
    await reaches(id, 'running')
    const heard = []
    for (const word of ['alpha', 'beta', 'gamma']) heard.push(await say(id, `say ${word}`))
    expect(heard.map(({ delivery, message }) => [delivery, message?.position])).toEqual([
      ['queued', 1],
      ['queued', 2],
      ['queued', 3],
    ])
    await eventually(
      () => transcript(id),
      (text) => text.includes('\ngamma\n'),
    )
    const text = await transcript(id)
    expect(text.indexOf('\nalpha\n')).toBeLessThan(text.indexOf('\nbeta\n'))
    expect(text.indexOf('\nbeta\n')).toBeLessThan(text.indexOf('\ngamma\n'))
    await reaches(id, 'needs_input')
  })

  test('that will not wait takes the place of the running turn', async () => {
    const id = await create('sleep 60')
    await reaches(id, 'running')
    const { delivery, session } = await say(id, 'say at once', true)
    expect([delivery, session.status]).toEqual(['interrupted', 'waiting'])
    await eventually(
      () => transcript(id),
      (text) => text.includes('\nat once\n'),
    )
    await reaches(id, 'needs_input')
  })
})

test('fifty who interrupt with one message at once: one is obeyed, nothing is lost', async () => {
  const id = await create('sleep 60')
  await reaches(id, 'running')
  const { message } = await say(id, 'say now')
  const answers = await Promise.allSettled(
    Array.from({ length: 50 }, () => interruptWithMessage(app.host.app, { id }, message?.id ?? 0)),
  )
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await eventually(
    () => transcript(id),
    (text) => text.includes('\nnow\n'),
  )
  await reaches(id, 'needs_input')
})

test('a paused session rests, keeps its queue, and goes on in order when somebody speaks', async () => {
  const id = await create('sleep 60')
  await reaches(id, 'running')
  await say(id, 'say first')
  const paused = await pauseSession(app.host.app, { id })
  expect(paused).toMatchObject({ status: 'needs_input', running_job_id: null, metadata: { paused_by: 'user' } })
  await say(id, 'say second')
  await eventually(
    () => transcript(id),
    (text) => text.includes('\nsecond\n'),
  )
  const text = await transcript(id)
  expect(text.indexOf('\nfirst\n')).toBeLessThan(text.indexOf('\nsecond\n'))
})

test('a running session that is put to sleep sleeps when its turn ends, and wakes when spoken to', async () => {
  const id = await create('sleep 1')
  await reaches(id, 'running')
  await putToSleep(app.host.app, { id })
  await eventually(
    () => app.get(`/sessions/${id}`),
    ({ body }) => body.session.status === 'waiting',
  )
  const { delivery } = await eventually(
    () => say(id, 'say awake'),
    () => true,
  )
  expect(['sent', 'queued']).toContain(delivery)
  await eventually(
    () => transcript(id),
    (text) => text.includes('\nawake\n'),
  )
})

test('an archived session stops its agent and retires its queue, and comes back to be spoken to', async () => {
  const id = await create('sleep 60')
  await reaches(id, 'running')
  await say(id, 'say never')
  await expect(archiveSession(app.host.app, { id }, { force: false })).rejects.toMatchObject({
    kind: 'messages_queued',
  })
  const archived = await archiveSession(app.host.app, { id }, { force: true })
  expect(archived).toMatchObject({ status: 'archived', trash_after: expect.any(String) })
  await eventually(
    async () => (await app.pool.query('select state from turns where session_id = $1', [id])).rows,
    (rows) => rows.every(({ state }) => state === 'ended'),
  )
  const { session } = await unarchiveSession(app.host.app, { id })
  expect(session).toMatchObject({ status: 'needs_input', archived_at: null, trash_after: null })
  await say(id, 'say back')
  await eventually(
    () => transcript(id),
    (text) => text.includes('\nback\n'),
  )
  expect(await transcript(id)).not.toContain('never')
})

test('a failed session restarts and is told to go on', async () => {
  const id = await create('fail on purpose')
  await reaches(id, 'failed')
  const { session, message } = await restartSession(app.host.app, { id })
  expect([session.status, message]).toEqual(['waiting', 'Session restarted'])
  await reaches(id, 'needs_input')
})

test('a message queued for a resting session goes out at once', async () => {
  const id = await create('say hello')
  await reaches(id, 'needs_input')
  expect(await enqueueMessage(app.host.app, { id }, { content: 'say queued', goal: null })).toMatchObject({
    status: 'sent',
  })
  await eventually(
    () => transcript(id),
    (text) => text.includes('\nqueued\n'),
  )
})
