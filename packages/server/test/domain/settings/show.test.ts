import { describe, expect, test } from 'vitest'
import { testApp } from '../../support/app/app.ts'
import { changesNothing } from '../../support/app/changes-nothing.ts'

const app = testApp({ environment: { ROLE: 'web' } })

describe('GET /settings answers 200', () => {
  test('a fresh start has every setting at its default, and the built-in agent as runtime', async () => {
    const { status, body } = await app.get('/settings')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        settings: {
          default_runtime: 'demo',
          default_model: null,
          spot_gating_enabled: true,
          spot_max_concurrent_sessions: 10,
          spot_gate_five_hour_threshold_pct: 80,
          spot_gate_weekly_threshold_pct: 80,
          genesis_class_overrides: {},
          uncategorized_position: 0,
          mcp_tool_search_enabled: true,
        },
      },
    })
  })

  test('GET /settings answers 200 and reading the settings changes nothing', async () => {
    await changesNothing(app.pool, () => app.get('/settings'))
  })
})

test('GET /settings answers 401 without a key', async () => {
  expect((await app.send('/api/v1/settings')).status).toBe(401)
})
