import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testApp } from '../../support/app/app.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const folder = await mkdtemp(join(tmpdir(), 'yardmaster-clis-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const program = join(folder, 'claude')
await writeFile(program, '#!/bin/sh\necho "claude 9.8.7 (made up)"\n')
await chmod(program, 0o755)

const app = testApp({
  environment: {
    RUNTIME_ALPHA_COMMAND: program,
    RUNTIME_BETA_COMMAND: join(folder, 'missing'),
    OPENAI_API_KEY: 'sk-x',
  },
})

const checked = () =>
  eventually(
    () => app.get('/clis/status'),
    ({ body }) => body.cli_status.generated_at !== null,
  )

test('the status shows which CLIs are installed and signed in, and on which host, without a model call', async () => {
  const { status, body } = await checked()
  expect(status).toBe(200)
  expect(body.cli_status.tools.runtime_alpha).toEqual({
    name: "Claude Code's CLI",
    installed: true,
    authenticated: false,
    version: '9.8.7',
    install_instructions: 'npm run agents:install -- runtime_alpha',
    auth_instructions: expect.stringContaining('ANTHROPIC_API_KEY'),
    auth_method: 'env_var',
    env_var_name: 'ANTHROPIC_API_KEY',
    error: null,
  })
  expect(body.cli_status.tools.runtime_beta).toMatchObject({
    installed: false,
    authenticated: true,
    version: null,
    error: expect.stringContaining('missing'),
  })
  expect(body).toMatchObject({
    cli_status: { all_authenticated: false, unauthenticated_count: 1, host: app.host.app.home.hostId },
    unauthenticated_count: 1,
  })
})

test('before the first check every CLI is loading', async () => {
  await checked()
  await app.pool.query('delete from cli_reports')
  const { body } = await app.get('/clis/status')
  expect(body).toMatchObject({
    cli_status: { generated_at: null, loading: true, unauthenticated_count: 0, all_authenticated: false },
    unauthenticated_count: 0,
  })
  expect(body.cli_status.tools.runtime_alpha).toMatchObject({ loading: true, installed: null, authenticated: null })
})

test('a refresh is queued and updates the status', async () => {
  await writeFile(program, '#!/bin/sh\necho "claude 10.0.1"\n')
  const { status, body } = await app.post('/clis/refresh')
  expect([status, body.queued, body.message]).toEqual([200, true, 'CLI status refresh queued'])
  expect(body.current_status).toHaveProperty('tools')
  await eventually(
    () => app.get('/clis/status'),
    ({ body: now }) => now.cli_status.tools.runtime_alpha.version === '10.0.1',
  )
})

test('clearing the caches removes packages and nothing else', async () => {
  const session = join(app.home, 'runtimes', 'session-1')
  await mkdir(join(session, '.npm', '_npx'), { recursive: true })
  await mkdir(join(session, 'transcripts'), { recursive: true })
  expect(await app.post('/clis/clear_cache')).toMatchObject({ status: 200, body: { queued: true } })
  await eventually(
    () => stat(join(session, '.npm')).catch(() => undefined),
    (there) => there === undefined,
  )
  expect((await stat(join(session, 'transcripts'))).isDirectory()).toBe(true)
})
