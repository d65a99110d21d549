import { execFile } from 'node:child_process'
import { chmod, lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { ServerConnection } from '../../../../src/platform/db/embedded/create-database.ts'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../../../src/platform/db/embedded/embedded-postgres.ts'
import { findServerProcesses } from '../../../../src/platform/db/embedded/server-processes.ts'
import { openHome } from '../../../../src/platform/home/home.ts'

export const isRoot = process.geteuid?.() === 0

/** A folder for one test file that the user of the server can pass through when the tests run as root. */
export async function makeSandbox(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ym-pg-'))
  await chmod(folder, 0o755)
  return folder
}

export async function makeHome(path: string): Promise<string> {
  const home = await openHome(path)
  await home.release()
  return home.path
}

/** A home with its own database, copied from one that was created once: a tenth of the time. */
export async function copyHome(template: string, path: string): Promise<string> {
  const home = await makeHome(path)
  await mkdir(join(home, 'postgres'))
  await chmod(join(home, 'postgres'), 0o711)
  const run = promisify(execFile)
  for (const name of ['data', 'password'])
    await run('cp', ['-a', join(template, 'postgres', name), join(home, 'postgres')])
  return home
}

export type Started = { server: EmbeddedPostgres; lines: string[] }

export async function start(home: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<Started> {
  const lines: string[] = []
  const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(`warning: ${line}`) }
  return { server: await startEmbeddedPostgres({ home, log, ...options }), lines }
}

export async function withServer<T>(
  home: string,
  work: (started: Started) => Promise<T>,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<T> {
  const started = await start(home, options)
  try {
    return await work(started)
  } finally {
    await started.server.stop()
  }
}

export async function connect(connection: ServerConnection): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 60_000 })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

export async function query(connection: ServerConnection, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(connection)
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** It only ends a failing test. */
const limitMs = 120_000

export async function waitUntil(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await sleep(20)
  }
}

export async function hasProcesses(data: string): Promise<boolean> {
  return (await findServerProcesses(data)).length > 0
}

export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

export async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}
