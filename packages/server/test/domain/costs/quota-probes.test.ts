import { expect, test } from 'vitest'
import { accountsApp, runtime } from '../../support/accounts/accounts-app.ts'

const { app, add } = accountsApp()

test('a request that measures the quota of an account is an ad hoc call of the service, about no session', async () => {
  const id = await add('one@example.test')
  await app.post(`/accounts/${id}/refresh`)

  const { body } = await app.get('/costs/records?kind=adhoc&source=quota_probe')
  expect(body.pagination.total_count).toBe(2)
  expect(body.records[0]).toMatchObject({
    request_id: expect.stringMatching(/^msg_/),
    model: expect.stringContaining('haiku'),
    total_tokens: 9,
    priced: true,
    source: 'quota_probe',
    subject_session_id: null,
    metadata: { agent_runtime: runtime, agent_root: null },
  })
  expect((await app.get('/costs')).body).toMatchObject({
    totals: { api_calls: 2, session_cost_usd: 0 },
    by_adhoc_source: [{ source: 'quota_probe', api_calls: 2, tokens: 18 }],
    by_thread_kind: [],
    top_sessions: [],
  })
})
