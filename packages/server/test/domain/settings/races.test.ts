import { expect, test } from 'vitest'
import { testApp } from '../../support/app/app.ts'

const app = testApp({ environment: { ROLE: 'web' } })

test('concurrent changes of different settings are all kept', async () => {
  const changes = [
    { spot_gating_enabled: false },
    { spot_max_concurrent_sessions: 7 },
    { spot_gate_five_hour_threshold_pct: 11 },
    { spot_gate_weekly_threshold_pct: 12 },
    { genesis_class_overrides: { api: 'priority' } },
    { mcp_tool_search_enabled: false },
    { default_model: 'demo' },
  ]
  const answers = await Promise.all([
    ...changes.map((change) => app.patch('/settings', change)),
    app.post('/categories/reorder', { ids: [1, 2, 'uncategorized'] }),
  ])
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await app.get('/settings')).body.settings).toEqual({
    ...Object.assign({}, ...changes),
    default_runtime: 'demo',
    uncategorized_position: 2,
  })
})
