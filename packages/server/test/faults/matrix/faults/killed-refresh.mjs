import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'
import { until } from '../until.mjs'

const runtime = 'runtime_alpha'

const importVendor = async () => {
  const source = fileURLToPath(new URL('../../../support/accounts/vendor-server.ts', import.meta.url))
  return (await runnerImport(source, { configFile: false, logLevel: 'error' })).module
}

/**
 * The host dies at a moment of the refresh that the seed chooses: before the request is sent, while the vendor has spent the
 * token and not answered, or after the answer. Afterwards the account must serve, or say that it must be signed in again.
 */
export const killedRefresh = {
  name: 'R83',
  what: 'kill -9 during the refresh of accounts with single-use refresh tokens, restart',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    const { startVendor, alphaCli } = await importVendor()
    const vendor = await startVendor()
    try {
      const environment = {
        RUNTIME_ALPHA_COMMAND: alphaCli,
        ANTHROPIC_BASE_URL: vendor.url,
        RUNTIME_ALPHA_TOKEN_URL: `${vendor.url}/v1/oauth/token`,
      }
      const name = `refreshing-${seed}`
      const host = await cluster.up(name, environment)
      const emails = Array.from({ length: isShort ? 3 : 6 }, (_, index) => `a${seed}-${index}@example.test`)
      const ids = []
      for (const email of emails) {
        const { body } = await host.post('/api/v1/accounts', { runtime, email, credentials: vendor.loginFile(email) })
        ids.push(body.account.id)
      }
      // The vendor spends the token, and answers late.
      vendor.onRefresh(() => wait(random.between(0, 120)))
      const requests = ids.map((id) => host.post(`/api/v1/accounts/${id}/refresh`, {}).catch(() => undefined))
      // Most seeds kill while the vendor has tokens in its hands, some before it got one.
      if (seed % 4 !== 0)
        await until(
          'a token is sent',
          async () => vendor.refreshes.length,
          (count) => count > 0,
        )
      await wait(random.between(0, 120))
      await host.kill()
      await Promise.all(requests)
      vendor.onRefresh(async () => undefined)
      const { rows: records } = await cluster.pool.query('select account_id from account_refreshes')
      const again = await cluster.start(name, environment)
      const problems = []
      for (const [index, id] of ids.entries()) {
        const { answer } = await until(
          'the account serves or says that it must be signed in',
          async () => (await again.post(`/api/v1/accounts/${id}/refresh`, {})).body.account,
          ({ status, last_refreshed_at }) => status === 'needs_reauth' || last_refreshed_at !== null,
        )
        if (answer.status === 'needs_reauth') continue
        // Usable: the stored tokens are the vendor's last ones, so that the next refresh succeeds too.
        const before = vendor.refreshes.length
        const { body } = await again.post(`/api/v1/accounts/${id}/refresh`, {})
        const isUsable = body.account.status === 'active' && vendor.refreshes.length === before + 1
        if (!isUsable || body.account.stale_refresh_failures > 0)
          problems.push(`${emails[index]} is dead and does not say so`)
      }
      const { rows } = await cluster.pool.query(
        `select count(*)::int as dead from accounts where status = 'needs_reauth'`,
      )
      await cluster.stop(name)
      return {
        lost: 0,
        doubled: 0,
        figures: { 'answers lost at the kill': records.length, 'accounts to sign in again': rows[0].dead },
        problems,
      }
    } finally {
      await vendor.close()
    }
  },
}
