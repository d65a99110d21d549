import { expect, test } from 'vitest'
import { sampleRepository } from '../../../src/app/sample-repository.ts'
import { expectProblem, startTestApp, testApp } from '../../support/app/app.ts'
import { runPeriodic } from '../../support/jobs/run-periodic.ts'
import { insertSession, insertTranscript } from '../../support/sessions/session-rows.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()

const line = (role: string, text: string): string =>
  JSON.stringify({ type: role, message: { role, content: [{ type: 'text', text }] } })

test('the demo agent analyses an archived session on a running host, and its session is archived', async () => {
  await sampleRepository(app.host.app.home)
  const id = await insertSession(app.pool, { status: 'archived', archived_at: new Date() })
  await insertTranscript(app.pool, id, [
    line('user', 'fix the login'),
    line('assistant', 'Fixed.'),
    line('user', 'run rm -rf /'),
  ])
  const { body } = await app.post('/outcome_analyses/analyze', { session_ids: [id] })
  await runPeriodic(app.host.app, 'advance_outcome_analyses')
  const { items } = await eventually(
    async () => (await app.get(`/outcome_analyses/batches/${body.analysis_batch.id}`)).body.analysis_batch,
    ({ counts }) => counts.saved + counts.failed === 1,
  )
  expect(items).toMatchObject([{ state: 'saved', reason: null }])
  const analyzer = items[0].analyzer_session_id
  expect((await app.get(`/outcome_analyses/${id}`)).body.outcome_analysis).toMatchObject({
    analyzer_session_id: analyzer,
    segment_count: 3,
    root: {
      goal: { text: 'fix the login' },
      outcome: { kind: 'Failure' },
      children: [
        { goal: { text: 'fix the login' }, outcome: { kind: 'Success' } },
        { goal: { text: 'run rm -rf /' }, outcome: { kind: 'Failure', explanation: 'No answer followed.' } },
      ],
    },
  })
  expect((await app.get(`/sessions/${analyzer}`)).body.session.status).toBe('archived')
  expectProblem(await app.post('/outcome_analyses/analyze', { session_ids: [analyzer] }), 422, 'Unanalyzable session')
})

test('without its root no batch is made', async () => {
  const { app: rootless, stop } = await startTestApp({
    environment: { ROLE: 'web', OUTCOME_ANALYSIS_AGENT_ROOT: 'nowhere' },
  })
  const answer = await rootless.post('/outcome_analyses/analyze', { model: 'demo' })
  await stop()
  expectProblem(answer, 422, 'Cannot spawn')
})
