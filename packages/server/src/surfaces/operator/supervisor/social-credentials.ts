import type { Resource } from './resources.ts'

const token = 'a token leaves the store only for the session that needs it'

export const socialCredentials: Resource = {
  name: 'social_credentials',
  title: 'Social credentials',
  one: 'Social credential',
  about: 'Accounts of a social network whose tokens fill in variables of the catalog.',
  table: 'social_credentials',
  key: 'id',
  keyPattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  listed: ['id', 'account_key', 'access_token_env_var', 'expires_at', 'refreshed_at', 'refresh_error'],
  shown: ['token_endpoint', 'scopes', 'refresh_attempted_at', 'refresh_after', 'created_at', 'updated_at'],
  withheld: {
    access_token: token,
    refresh_token: token,
    refresh_run: 'proves to the service which refresh may write',
    refresh_host: 'the host of a refresh that is underway',
    refresh_until: 'the end of a refresh that is underway',
  },
  filters: {},
  forms: [{ operation: 'social_credentials.delete', button: 'Delete', isDangerous: true, isLast: true }],
  start: { href: '/supervisor/x_oauth/authorize', label: 'Authorize an account' },
}
