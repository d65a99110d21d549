import { spawn } from 'node:child_process'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServerConnection } from '../../../../src/platform/db/embedded/create-database.ts'
import type { EmbeddedPostgres } from '../../../../src/platform/db/embedded/embedded-postgres.ts'
import { spawnIdentity, systemUser } from '../../../../src/platform/home/system-user.ts'
import { processTable } from '../../../../src/platform/process/process-table.ts'
import { type LineChild, startLineChild } from '../../../support/processes/line-child.ts'
import {
  connect,
  copyHome,
  hasProcesses,
  makeHome,
  makeSandbox,
  query,
  remove,
  waitUntil,
  withServer,
} from './server-sandbox.ts'

const runnerScript = new URL('../../../support/database/embedded-postgres-runner.mjs', import.meta.url)

let sandbox: string
let template: string

beforeAll(async () => {
  sandbox = await makeSandbox()
  template = await makeHome(join(sandbox, 'template'))
  await withServer(template, ({ server }) => query(server.connection, 'create table acknowledged (n int primary key)'))
})

afterAll(() => remove(sandbox))

describe('when Yardmaster is killed', () => {
  test('its server keeps running, and the next start stops it and has every acknowledged row', async () => {
    const home = await copyHome(template, join(sandbox, 'killed'))
    const runner = await startRunner(home)
    const inserting = insertUntilBroken(() => runner.connection)
    await waitUntil('some rows are in', () => inserting.acknowledged.length > 50)
    await runner.child.kill()
    expect(await isAlive(runner.serverPid)).toBe(true)

    await withServer(home, async ({ server, lines }) => {
      inserting.stop()
      expect(await isAlive(runner.serverPid)).toBe(false)
      expect(lines.join('\n')).toContain(`(process ${runner.serverPid}) stopped (SIGINT)`)
      await inserting.done
      await expectAcknowledged(server.connection, inserting.acknowledged)
    })
  })

  test('when Yardmaster is killed and never comes back, its server stops by itself after the grace period', async () => {
    const home = await copyHome(template, join(sandbox, 'orphan'))
    const runner = await startRunner(home, { graceSeconds: 1 })
    await runner.child.kill()
    await waitUntil('the server has stopped', async () => !(await hasProcesses(join(home, 'postgres/data'))))
    expect(await isAlive(runner.serverPid)).toBe(false)
  })

  test('when Yardmaster is killed and comes back, the watch of the earlier server leaves the new one alone', async () => {
    const home = await copyHome(template, join(sandbox, 'returned'))
    const runner = await startRunner(home, { graceSeconds: 1 })
    await runner.child.kill()
    await withServer(home, async ({ server }) => {
      const pid = server.pid()
      await sleep(3000) // longer than the grace period of the earlier watch
      expect([server.pid(), await query(server.connection, 'select 1 as n')]).toEqual([pid, [{ n: 1 }]])
    })
  })

  test('a terminal interrupt does not reach the server', async () => {
    const home = await copyHome(template, join(sandbox, 'interrupt'))
    const runner = await startRunner(home, { detached: true })
    try {
      const client = await connect(runner.connection)
      process.kill(-runner.child.pid, 'SIGINT')
      // PostgreSQL reacts to an interrupt by closing its connections at once.
      await client.query('select pg_sleep(0.3)')
      await client.end()
    } finally {
      runner.child.say('exit')
    }
    // An exit without `stop` ends the server too.
    await waitUntil('the server has ended', async () => !(await hasProcesses(join(home, 'postgres/data'))))
    await runner.child.kill()
  })

  test('a process that has reused the pid of the server is left alone', async () => {
    const home = await copyHome(template, join(sandbox, 'reused'))
    const user = await systemUser('postgres')
    // As the user of the server: PostgreSQL would mistake that process for another server.
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore', cwd: '/', ...spawnIdentity(user) })
    try {
      const file = join(home, 'postgres/data/postmaster.pid')
      await writeFile(file, `${bystander.pid}\n${join(home, 'postgres/data')}\n1700000000\n5432\n/nowhere\n\n`)
      if (user !== undefined) await chown(file, user.uid, user.gid)
      await withServer(home, async ({ server }) => {
        expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }])
      })
      expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
    } finally {
      bystander.kill('SIGKILL')
    }
  })
})

describe('when the server is killed', () => {
  test('it is restarted, and no acknowledged row is lost', async () => {
    const home = await copyHome(template, join(sandbox, 'postmaster'))
    await withServer(home, async ({ server, lines }) => {
      const inserting = insertUntilBroken(() => server.connection)
      for (const round of [1, 2]) {
        await waitUntil('rows are being inserted', () => inserting.acknowledged.length > round * 50)
        const pid = killServer(server)
        await waitUntil('the server is back', () => server.pid() !== undefined && server.pid() !== pid)
        expect(lines.join('\n')).toContain(`(process ${pid}) ended: it was ended by SIGKILL`)
        expect(lines.join('\n')).toContain(`(process ${server.pid()})`)
      }
      const before = inserting.acknowledged.length
      await waitUntil('rows are being inserted again', () => inserting.acknowledged.length > before)
      inserting.stop()
      await inserting.done
      await expectAcknowledged(server.connection, inserting.acknowledged)
    })
  })

  test('a busy process of it that does not notice is killed, so that the new server can start', async () => {
    const home = await copyHome(template, join(sandbox, 'busy'))
    await withServer(home, async ({ server, lines }) => {
      const busy = await connect(server.connection)
      const lost = busy.query('do $$ begin loop end loop; end $$').catch(() => 'lost')
      await waitUntil('the loop is running', async () => {
        const rows = await query(
          server.connection,
          "select from pg_stat_activity where query like 'do %' and state = 'active'",
        )
        return rows.length === 1
      })
      const pid = killServer(server)
      await waitUntil('the server is back', () => server.pid() !== undefined && server.pid() !== pid)
      expect(await lost).toBe('lost')
      expect(lines.join('\n')).toContain('is still running; killing it')
      expect(await query(server.connection, 'select 1 as one')).toEqual([{ one: 1 }])
    })
  })

  test('a stop while it is down leaves no process', async () => {
    const home = await copyHome(template, join(sandbox, 'down'))
    await withServer(home, async ({ server }) => {
      killServer(server)
      await server.stop()
      expect(await hasProcesses(server.dataDirectory)).toBe(false)
    })
  })

  test('a killed backend does not cause a restart by the supervisor', async () => {
    const home = await copyHome(template, join(sandbox, 'backend'))
    await withServer(home, async ({ server, lines }) => {
      const client = await connect(server.connection)
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      const pid = server.pid()
      for (const row of rows) process.kill(row.pid, 'SIGKILL')
      await waitUntil('it answers again', () =>
        query(server.connection, 'select 1').then(
          () => true,
          () => false,
        ),
      )
      expect(server.pid()).toBe(pid)
      expect(lines).toEqual([])
    })
  })
})

function killServer(server: EmbeddedPostgres): number {
  const pid = server.pid()
  if (pid === undefined) throw new Error('the server is not running')
  process.kill(pid, 'SIGKILL')
  return pid
}

type Runner = { child: LineChild; connection: ServerConnection; serverPid: number }

async function startRunner(
  home: string,
  { graceSeconds, ...options }: { detached?: boolean; graceSeconds?: number } = {},
): Promise<Runner> {
  const child = startLineChild(runnerScript, [home, graceSeconds ?? []].flat().map(String), options)
  return { child, ...JSON.parse(await child.nextLine()) }
}

/** Inserts 1, 2, 3 ... each in its own transaction, and reconnects whenever the connection is lost. */
function insertUntilBroken(connectionNow: () => ServerConnection) {
  const acknowledged: number[] = []
  let isStopped = false
  const stop = () => {
    isStopped = true
  }
  const insertAll = async () => {
    let n = 0
    while (!isStopped) {
      const client = await connect(connectionNow()).catch(() => undefined)
      if (client === undefined) {
        await sleep(10)
        continue
      }
      try {
        while (!isStopped) {
          n += 1
          await client.query('insert into acknowledged values ($1)', [n])
          acknowledged.push(n)
        }
      } catch {
        // The row in flight may or may not be stored; the next one has its own number.
      }
      await client.end().catch(() => undefined)
    }
  }
  return { acknowledged, done: insertAll(), stop }
}

async function expectAcknowledged(connection: ServerConnection, acknowledged: readonly number[]): Promise<void> {
  const present = new Set((await query(connection, 'select n from acknowledged')).map((row) => row.n))
  expect(acknowledged.filter((n) => !present.has(n))).toEqual([])
}

async function isAlive(pid: number): Promise<boolean> {
  return (await processTable().identify(pid)) !== undefined
}
