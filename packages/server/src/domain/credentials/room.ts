import type { Room } from '../app.ts'
import { expireRefreshesOf } from './credential-store.ts'
import { forOperator } from './forms.ts'
import { forgetBadEndpoints, mcpCredentials } from './mcp-credential.ts'
import { refreshDue } from './refresh.ts'
import { spawnMarginSeconds } from './refresh-mcp-credential.ts'
import { backgroundMarginSeconds, repairEndpoints, socialClient, socialCredentials } from './social-credential.ts'

export const credentials: Room = {
  name: 'credentials',
  forOperator,
  sealed: [
    { table: 'mcp_credentials', id: 'id', columns: ['client_secret', 'access_token', 'refresh_token'] },
    { table: 'social_credentials', id: 'id', columns: ['access_token', 'refresh_token'] },
    { table: 'social_oauth_flows', id: 'id', columns: ['code_verifier'] },
  ],
  recover: async ({ db, home }) => {
    await expireRefreshesOf(db, 'mcp_credentials', home.hostId)
    await expireRefreshesOf(db, 'social_credentials', home.hostId)
    await repairEndpoints(db)
    await forgetBadEndpoints(db)
  },
  periodic: [
    {
      name: 'refresh_mcp_credentials',
      queue: 'maintenance',
      intervalMs: 60_000,
      runs: 'one_host',
      run: (app, signal) => refreshDue(app, mcpCredentials, { marginSeconds: spawnMarginSeconds, signal }),
    },
    {
      name: 'refresh_social_tokens',
      queue: 'maintenance',
      intervalMs: 60_000,
      runs: 'one_host',
      run: async (app, signal) => {
        const client = socialClient(app)
        if (client) await refreshDue(app, socialCredentials(client), { marginSeconds: backgroundMarginSeconds, signal })
        await app.vended.renew()
        return 'done'
      },
    },
  ],
}
