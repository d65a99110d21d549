import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Host, startHost } from '../../../src/app/compose.ts'
import { readConfig } from '../../../src/app/config.ts'
import type { HttpTimeouts } from '../../../src/platform/http/server.ts'
import type { Log } from '../../../src/platform/log/log.ts'
import type { RuntimeDriver } from '../../../src/runtimes/driver.ts'
import { cloneDatabase } from '../database/database.ts'
import { openPool } from '../database/pool.ts'
import { sharedFolder } from '../files/shared-folder.ts'
import { silentLog } from '../log/silent-log.ts'
import { type Answer, type ApiCalls, apiCalls } from './api-calls.ts'

export const testKey = 'test-key'

/** Hosts that share a database need the same key. */
export const testMasterKey = Buffer.alloc(32, 'test').toString('base64url')

export type { Answer }

export type TestApp = ApiCalls & {
  host: Host
  url: string
  home: string
  /** A folder for repositories, and for files that agents write. */
  shared: string
  databaseUrl: string
  /** A connection for the test to read rows with. */
  pool: pg.Pool
}

type Options = {
  environment?: Record<string, string>
  timeouts?: HttpTimeouts
  /** Where the built dashboard is. */
  dashboardFolder?: string
  /** Instead of the registered ones. */
  drivers?: readonly RuntimeDriver[]
  log?: Log
  /** A certificate that it trusts. */
  trustedAuthority?: string
}

/** A whole Yardmaster on a cloned database and an empty home, listening on a real socket, for one test file. */
export function testApp(options: Options = {}): TestApp {
  const app = {} as TestApp // filled by beforeAll
  let stop: () => Promise<void> = async () => undefined
  beforeAll(async () => {
    const started = await startTestApp(options)
    stop = started.stop
    Object.assign(app, started.app)
  })
  afterAll(() => stop())
  return app
}

export async function startTestApp({
  environment = {},
  timeouts,
  dashboardFolder,
  drivers,
  log = silentLog,
  trustedAuthority,
}: Options = {}): Promise<{ app: TestApp; stop(): Promise<void> }> {
  const database = await cloneDatabase()
  const shared = await sharedFolder('yardmaster-app-')
  const home = join(shared, 'home')
  const variables = {
    HOST: '127.0.0.1',
    PORT: '0',
    YARDMASTER_HOME: home,
    DATABASE_URL: database.url,
    API_KEYS: testKey,
    YARDMASTER_MASTER_KEY: testMasterKey,
    // So that any test runs in any mode.
    ...(process.env.AGENT_CONFINEMENT && { AGENT_CONFINEMENT: process.env.AGENT_CONFINEMENT }),
    ...environment,
  }
  const config = readConfig(variables, drivers)
  const host = await startHost(config, {
    log,
    ...(trustedAuthority !== undefined && { trustedAuthority }),
    environment: { ...process.env, ...environment },
    web: { isChecking: true, ...(timeouts && { timeouts }), ...(dashboardFolder && { dashboardFolder }) },
  })
  const pool = openPool(database.url)
  return {
    app: {
      host,
      url: host.web?.url ?? '',
      home,
      shared,
      databaseUrl: database.url,
      pool,
      ...client(host.web?.url ?? ''),
    },
    stop: async () => {
      await host.stop()
      await pool.end()
      await database.drop()
      await rm(shared, { recursive: true, force: true })
    },
  }
}

export function client(url: string, key = testKey): ApiCalls {
  return apiCalls(url, key)
}

/** Every error has the three keys, and `message` is the messages joined. */
export function expectProblem(answer: Answer, status: number, error: string, ...messages: string[]): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status,
    body: { error, ...(messages.length > 0 && { messages }), message: answer.body.messages?.join(', ') },
  })
}

const run = promisify(execFile)

/** A real repository with one commit on `main`. */
export async function sampleRepository(
  folder: string,
  files: Record<string, string> = { 'README.md': 'hello\n' },
): Promise<string> {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@localhost',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@localhost',
  }
  await run('git', ['init', '--quiet', '--initial-branch=main', folder], { env })
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path)
    await run('mkdir', ['-p', join(target, '..')])
    await writeFile(target, content)
  }
  await run('git', ['-C', folder, 'add', '--all'], { env })
  await run('git', ['-C', folder, 'commit', '--quiet', '--message', 'first'], { env })
  return folder
}
