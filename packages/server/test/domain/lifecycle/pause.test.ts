import { afterEach, expect, test, vi } from 'vitest'
import { pauseSession } from '../../../src/domain/lifecycle/pause.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { makeNextAgentIgnorePrompt } from '../../support/sessions/ignored-prompt.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, rested, say, queue, messages, turns, logs, reaches, settled, effects } = sessionHelpers(app)
const { doing, done, isDone } = effects
afterEach(() => vi.restoreAllMocks())

const pause = (id: number) => pauseSession(app.host.app, { id })

test('a pause moves the session to needs_input at once and stops its agent', async () => {
  const { id } = await busy()
  const { metadata } = await reaches(id, 'running')
  expect(await pause(id)).toMatchObject({
    status: 'needs_input',
    running_job_id: null,
    metadata: { paused_by: 'user' },
  })
  await settled(id)
  expect(await turns(id)).toMatchObject([{ outcome: 'interrupted', withdrawn_by: 'pause' }])
  expect(await processTable().identify(metadata.process_pid)).toBeUndefined()
  expect((await reaches(id, 'needs_input')).running_job_id).toBeNull()
  expect(await logs(id)).toEqual(expect.arrayContaining(['Paused: the running turn was stopped.']))
})

test('only a running session can be paused', async () => {
  for (const id of [await create(), await rested()]) {
    await expect(pause(id)).rejects.toMatchObject({ kind: 'cannot_pause', messages: ['Session is not running'] })
  }
})

test('a prompt that the paused agent never received goes to the front of the queue and is delivered first by the next follow-up', async () => {
  makeNextAgentIgnorePrompt()
  const id = await create(doing('kept-1'))
  await reaches(id, 'running')
  await queue(id, doing('kept-2'))
  await pause(id)
  await settled(id)
  expect(await messages(id)).toMatchObject([
    { content: doing('kept-1'), position: 1, status: 'pending' },
    { content: doing('kept-2'), position: 2, status: 'pending' },
  ])
  await say(id, doing('kept-3'))
  await isDone('kept-3')
  expect((await done()).filter((word) => word.startsWith('kept'))).toEqual(['kept-1', 'kept-2', 'kept-3'])
})

test('a follow-up before the paused agent has stopped is delivered after the prompt that the agent never received', async () => {
  makeNextAgentIgnorePrompt()
  const id = await create(doing('early-1'))
  await reaches(id, 'running')
  await pause(id)
  await say(id, doing('early-2'))
  await isDone('early-1')
  await isDone('early-2')
  expect((await done()).filter((word) => word.startsWith('early'))).toEqual(['early-1', 'early-2'])
})

test('a session that is paused with a queued turn does not run it until the next message', async () => {
  const { id } = await busy()
  await say(id, doing('behind-1'))
  // The state after a follow-up to a session whose running turn was held at that time.
  await app.pool.query('delete from enqueued_messages where session_id = $1', [id])
  await app.pool.query("insert into turns (session_id, sequence, source, prompt) values ($1, 2, 'follow_up', $2)", [
    id,
    doing('behind-1'),
  ])
  await pause(id)
  await eventually(
    () => turns(id),
    ([first]) => first?.state === 'ended',
  )
  const { rows } = await app.pool.query('select max(id) as id from session_transitions where session_id = $1', [id])
  await queue(id, doing('behind-2'))
  await isDone('behind-2')
  expect((await done()).filter((word) => word.startsWith('behind'))).toEqual(['behind-1', 'behind-2'])
  const { rows: later } = await app.pool.query(
    'select cause from session_transitions where session_id = $1 and id > $2 order by id limit 1',
    [id, rows[0].id],
  )
  expect(later).toEqual([{ cause: 'resume' }])
})
