import { beforeAll, expect, test } from 'vitest'
import { testApp } from '../../../support/app/app.ts'
import { operatorBrowser, operatorEnvironment } from '../../../support/http/operator-browser.ts'

const app = testApp({ environment: operatorEnvironment })
const { visit, submit } = operatorBrowser(app)
const sealed = `v1.${'0'.repeat(16)}.sealed`
const pages: string[] = []

beforeAll(async () => {
  const insert = async (resource: string, statement: string) => {
    const { rows } = await app.pool.query<{ id: string }>(statement, [sealed])
    pages.push(`/supervisor/${resource}`, `/supervisor/${resource}/${rows[0]?.id}`)
  }
  await insert(
    'mcp_credentials',
    `insert into mcp_credentials
       (id, credential_key, server_name, server_url, client_id, client_auth_method, client_secret, access_token,
        refresh_token, refresh_token_unsupported)
     values (gen_random_uuid(), 'k', 'calendar', 'https://mcp.test', 'us', 'client_secret_post', $1, $1, $1, false)
     returning id`,
  )
  await insert(
    'mcp_oauth_flows',
    `insert into mcp_oauth_flows
       (id, state_hash, server_name, credential_key, server, token_endpoint, client_id, client_auth_method,
        code_verifier, redirect_uri, is_manual, expires_at)
     values (gen_random_uuid(), sha256('state'), 'calendar', 'k', '{"headers": {"x-key": "hunter2"}}',
       'https://provider.test/token', 'us', 'none', $1, 'https://yard.test/callback', false, now() + interval '1 hour')
     returning id`,
  )
  await insert(
    'provider_keys',
    `insert into provider_keys (runtime, key) values ('helper', $1) returning runtime as id`,
  )
  await insert(
    'social_credentials',
    `insert into social_credentials (id, account_key, access_token_env_var, access_token, refresh_token, token_endpoint)
     values (gen_random_uuid(), 'ada', 'X_ACCESS_TOKEN', $1, $1, 'https://provider.test/token') returning id`,
  )
  await insert(
    'accounts',
    `insert into accounts (runtime, email, login) values ('runtime_alpha', 'ada@example.test', $1) returning id`,
  )
})

test('no page shows a stored credential, sealed or open, or a header of a server', async () => {
  for (const path of pages) {
    const { status, text } = await visit(path)
    expect([path, status]).toEqual([path, 200])
    expect(text).not.toMatch(/v1\.0+\.sealed|hunter2/)
  }
})

test('a secret is written by a form and never shown, also not to the person whose form was refused', async () => {
  const page = '/supervisor/provider_keys/helper'
  const refused = await submit(page, `${page}/provider_keys.set`, { key: 'abc-123' })
  expect(refused.status).toBe(422)
  expect(refused.text).toMatch(/<input type="password" [^>]*name="key"[^>]*value=""/)
  expect(refused.text).not.toContain('abc-123')
  expect(refused.text).toContain('class="problem"')
})
