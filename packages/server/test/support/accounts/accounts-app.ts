import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { startHost } from '../../../src/app/compose.ts'
import { readConfig } from '../../../src/app/config.ts'
import type { App } from '../../../src/domain/app.ts'
import type { Log } from '../../../src/platform/log/log.ts'
import { sampleRepository, startTestApp, type TestApp, testKey, testMasterKey } from '../app/app.ts'
import { silentLog } from '../log/silent-log.ts'
import { alphaCli, betaCli, startVendor, type Vendor } from './vendor-server.ts'

export const runtime = 'runtime_alpha'

/** Leads both CLIs to the vendor. */
function variablesOf({ url }: Vendor): Record<string, string> {
  return {
    RUNTIME_ALPHA_COMMAND: alphaCli,
    ANTHROPIC_BASE_URL: url,
    RUNTIME_ALPHA_TOKEN_URL: `${url}/v1/oauth/token`,
    RUNTIME_BETA_COMMAND: betaCli,
    OPENAI_BASE_URL: `${url}/v1`,
    RUNTIME_BETA_ISSUER: url,
  }
}

type Options = { environment?: Record<string, string>; log?: Log }

/** A whole Yardmaster whose agents are served by the accounts of a vendor on loopback. */
export function accountsApp({ environment = {}, log }: Options = {}) {
  const app = {} as TestApp & { app: App } // both are filled before the first test
  const vendor = {} as Vendor
  let repository = ''
  let stop = async (): Promise<void> => undefined
  beforeAll(async () => {
    Object.assign(vendor, await startVendor())
    const started = await startTestApp({
      ...(log && { log }),
      environment: { ...variablesOf(vendor), ...environment },
    })
    Object.assign(app, started.app, { app: started.app.host.app })
    repository = await sampleRepository(`${app.shared}/repository`)
    stop = async () => {
      await started.stop()
      await vendor.close()
    }
  })
  afterAll(() => stop())

  const rows = async (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await app.pool.query(sql, values)).rows
  return {
    app,
    vendor,
    rows,
    /** A second host on the same database, with a home of its own and no login file. It does nothing by itself, and stops after the test. */
    async another(): Promise<App> {
      const config = readConfig({
        HOST: '127.0.0.1',
        PORT: '0',
        API_KEYS: testKey,
        ROLE: 'web',
        YARDMASTER_HOME: join(app.shared, `home-${randomUUID()}`),
        YARDMASTER_MASTER_KEY: testMasterKey,
        DATABASE_URL: app.databaseUrl,
        ...(process.env.AGENT_CONFINEMENT && { AGENT_CONFINEMENT: process.env.AGENT_CONFINEMENT }),
        ...variablesOf(vendor),
      })
      const host = await startHost(config, { log: silentLog })
      onTestFinished(host.stop)
      return host.app
    },
    /** Removes every account and its history. */
    async clear(): Promise<void> {
      await app.pool.query('delete from accounts')
      await app.pool.query('delete from account_pools')
      await app.pool.query('delete from quota_snapshots')
      await app.pool.query('delete from account_rotations')
      await app.pool.query('delete from account_attempts')
      await app.pool.query('delete from account_past_tokens')
      await app.pool.query('delete from login_attempts')
      vendor.reset()
    },
    async add(email: string, more: { minutes?: number; priority?: number } = {}): Promise<number> {
      const { minutes, ...rest } = more
      const credentials = vendor.loginFile(email, minutes)
      const answer = await app.post('/accounts', { runtime, email, credentials, ...rest })
      expect(answer).toMatchObject({ status: 201 })
      return answer.body.account.id
    },
    async account(id: number): Promise<Record<string, unknown>> {
      const answer = await app.get(`/accounts/${id}`)
      expect(answer).toMatchObject({ status: 200 })
      return answer.body.account
    },
    async begin(prompt: string, more: Record<string, unknown> = {}): Promise<number> {
      const answer = await app.post('/sessions', {
        git_root: repository,
        agent_runtime: runtime,
        config: { model: 'claude-sonnet-5' },
        prompt,
        ...more,
      })
      expect(answer).toMatchObject({ status: 201 })
      return answer.body.session.id
    },
  }
}
