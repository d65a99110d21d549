import { expect, test } from 'vitest'
import { agentsAtWork, onRoot } from '../../support/app/agents-at-work.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const { app, create, reaches, settled, atWork } = await agentsAtWork()
const ownServer = 'yardmaster-self-session'

test('an agent arms wakes for its own session and watches its descendants only', async () => {
  const { id, clientOf } = await atWork(onRoot('lead'))
  const child = await create('say done', { ...onRoot('api'), parent_session_id: id })
  const stranger = await create()
  const own = clientOf(ownServer)
  const later = { wake_at: '2041-07-01T10:00', prompt: 'say awake' }
  expect(await own.call('wake_me_up_later', { ...later, session_id: stranger })).toMatchObject({ isError: true })
  expect(await own.call('wake_me_up_later', later)).toMatchObject({ isError: false })
  const watch = (watched_session_id: number) =>
    own.call('wake_me_up_when_session_changes_state', {
      watched_session_id,
      prompt: 'say',
      event_name: 'session_failed',
    })
  expect(await watch(stranger)).toMatchObject({ isError: true })
  expect(await watch(child)).toMatchObject({ isError: false })
  expect((await app.get('/triggers')).body.triggers).toMatchObject([{ last_session_id: id }, { last_session_id: id }])
})

test('a session of the demo agent wakes itself', async () => {
  const args = JSON.stringify({ wake_at: '2041-07-01T10:00', prompt: 'say Awake' })
  const id = await create(`say Sleeping\ntool wake_me_up_later ${args}\ntool no_such_tool`)
  await reaches(id, 'waiting')
  await settled(id)
  const transcript = async () => (await app.get(`/sessions/${id}/transcript`)).body.transcript_text as string
  expect(await transcript()).toMatch(/is woken at/)
  const due = `update trigger_conditions set next_run_at = date_trunc('milliseconds', now())`
  await app.pool.query(`${due} where trigger_id = (select id from triggers where last_session_id = $1)`, [id])
  await eventually(transcript, (written) => written.includes('Awake\n') || /Awake$/m.test(written))
  await reaches(id, 'needs_input')
})
