import { id, text, uuid } from './key-patterns.ts'
import type { Resource } from './resources.ts'

const token = 'a token leaves the store only for the session that needs it'
const underway = {
  refresh_run: 'proves to the service which refresh may write',
  refresh_host: 'the host of a refresh that is underway',
  refresh_until: 'the end of a refresh that is underway',
}

/** What the service signs in with at other services. Secrets can be written and deleted, and are never read. */
export const credentialResources: readonly Resource[] = [
  {
    name: 'mcp_credentials',
    title: 'MCP credentials',
    one: 'MCP credential',
    about: 'The tokens of MCP servers that people authorized.',
    table: 'mcp_credentials',
    key: 'id',
    keyPattern: uuid,
    listed: ['id', 'server_name', 'credential_key', 'expires_at', 'refreshed_at', 'refresh_error'],
    shown: [
      ...['server_url', 'issuer', 'client_id', 'client_auth_method', 'token_endpoint', 'scopes', 'resource'],
      ...['refresh_token_unsupported', 'refresh_attempted_at', 'refresh_after', 'created_at', 'updated_at'],
    ],
    withheld: { client_secret: token, access_token: token, refresh_token: token, ...underway },
    filters: { server_name: text },
    forms: [{ operation: 'connectors.disconnect', button: 'Disconnect', isDangerous: true, isLast: true }],
  },
  {
    name: 'mcp_oauth_flows',
    title: 'MCP sign-ins underway',
    one: 'MCP sign-in',
    about:
      'Authorizations of MCP servers that a person began and has not completed. Read-only: they expire by themselves.',
    table: 'mcp_oauth_flows',
    key: 'id',
    keyPattern: uuid,
    listed: ['id', 'server_name', 'session_id', 'is_manual', 'expires_at', 'created_at'],
    shown: [
      ...['credential_key', 'issuer', 'token_endpoint', 'client_id', 'client_auth_method', 'redirect_uri', 'scopes'],
      ...['resource', 'return_origin', 'sign_in_id'],
    ],
    withheld: {
      state_hash: 'proves to the service who began it',
      code_verifier: 'proves to the authorization server who began it',
      client_secret: token,
      server: 'its headers may hold a secret',
    },
    filters: { session_id: id, server_name: text },
    forms: [],
  },
  {
    name: 'provider_keys',
    title: 'Provider keys',
    one: 'Provider key of',
    about: 'The keys of runtimes without accounts. A key is written, never shown.',
    table: 'provider_keys',
    key: 'runtime',
    keyPattern: text,
    isAscending: true,
    listed: ['runtime', 'updated_at'],
    shown: [],
    withheld: { key: 'a secret: it is written and never read' },
    filters: {},
    forms: [
      { operation: 'provider_keys.set', button: 'Replace the key', fields: ['key'] },
      { operation: 'provider_keys.delete', button: 'Delete', isDangerous: true, isLast: true },
    ],
  },
  {
    name: 'social_credentials',
    title: 'Social credentials',
    one: 'Social credential',
    about: 'Accounts of a social network whose tokens fill in variables of the catalog.',
    table: 'social_credentials',
    key: 'id',
    keyPattern: uuid,
    listed: ['id', 'account_key', 'access_token_env_var', 'expires_at', 'refreshed_at', 'refresh_error'],
    shown: ['token_endpoint', 'scopes', 'refresh_attempted_at', 'refresh_after', 'created_at', 'updated_at'],
    withheld: { access_token: token, refresh_token: token, ...underway },
    filters: {},
    forms: [{ operation: 'social_credentials.delete', button: 'Delete', isDangerous: true, isLast: true }],
    start: { href: '/supervisor/x_oauth/authorize', label: 'Authorize an account' },
  },
]
