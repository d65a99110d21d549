import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sampleRepository, testApp } from '../support/app/app.ts'
import { atRest, startDemo } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

const app = testApp()

describe('GET /metrics', () => {
  test('GET /metrics reports completed turns and redacted secrets', async () => {
    const git_root = await sampleRepository(join(app.home, 'repository'))
    const { id } = await startDemo(app, { git_root, lines: ['say the key is test-key, keep it'] })
    expect((await atRest(app, id)).status).toBe('needs_input')
    const { status, body, headers } = await eventually(
      () => app.get('/metrics'),
      ({ body }) => body.includes('yardmaster_turn_seconds_count{outcome="completed"} 1'),
    )
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('text/plain')
    expect(body).toContain('# HELP yardmaster_turns ')
    expect(body).toContain('yardmaster_redactions{label="API_KEY"} ')
    expect(body).not.toContain('test-key')
  })

  test('GET /metrics says what confines agents on this host', async () => {
    const { mode, mechanism } = app.host.app.confinement
    const { body } = await app.get('/metrics')
    const row = `yardmaster_agent_confinement{in_force="${mode} by ${mechanism}"} ${mechanism === 'none' ? 0 : 1}`
    expect(body.split('\n')).toContain(row)
  })

  test('GET /metrics answers 401 without a key', async () => {
    expect((await app.send('/api/v1/metrics')).status).toBe(401)
  })
})
