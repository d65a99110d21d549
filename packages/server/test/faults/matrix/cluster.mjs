import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { superuser } from '../../../dist/platform/db/embedded/data-directory.js'
import { startEmbeddedPostgres } from '../../../dist/platform/db/embedded/embedded-postgres.js'
import { readPassword } from '../../../dist/platform/db/embedded/password.js'
import { openHome } from '../../../dist/platform/home/home.js'
import { processTable } from '../../../dist/platform/process/process-table.js'
import { openEffects } from './effects.mjs'
import { startHostProcess } from './host-process.mjs'
import { until } from './until.mjs'

/** Hosts that share a database need the same key. */
export const masterKey = Buffer.alloc(32, 'test').toString('base64url')

const run = promisify(execFile)

/** The setting of a round: a PostgreSQL, a repository, an effects file, and hosts by name, each with its own home. */
export async function openCluster() {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-faults-'))
  // As root, PostgreSQL runs as another user, who has to reach its data.
  await chmod(folder, 0o755)
  const gitRoot = await makeRepository(join(folder, 'repository'))
  const database = await openDatabaseServer(join(folder, 'database'))
  const effects = openEffects(join(folder, 'effects'))
  const hosts = new Map()
  const markers = new Set()
  const homeOf = (name) => join(folder, `home-${name}`)

  const start = async (name = 'a', environment = {}) => {
    const host = await startHostProcess({
      home: homeOf(name),
      logFile: join(folder, `${name}.log`),
      environment: { DATABASE_URL: database.url, API_KEYS: 'ours', YARDMASTER_MASTER_KEY: masterKey, ...environment },
    })
    hosts.set(name, host)
    return host
  }
  const liveTurns = async () => {
    const { rows } = await database.pool.query(
      `select id, session_id::int, lease_owner, run_marker, pid, started_at from turns where state = 'executing'`,
    )
    for (const { run_marker } of rows) markers.add(run_marker)
    return rows
  }
  const processesOf = async (runMarkers) =>
    (await Promise.all(runMarkers.map((marker) => processTable().findMarked(marker)))).flat()

  return {
    folder,
    gitRoot,
    database,
    pool: database.pool,
    effects,
    start,
    /** The host of this name; starts it if it is not running. */
    up: async (name = 'a', environment = {}) =>
      hosts.get(name)?.isAlive() ? hosts.get(name) : start(name, environment),
    /** So many hosts, named a, b and c. Starts those that are missing and stops all others. */
    only: async (count, environment = {}) => {
      const names = ['a', 'b', 'c'].slice(0, count)
      for (const [name, host] of hosts) if (!names.includes(name)) await host.stop()
      const up = []
      for (const name of names) up.push(hosts.get(name)?.isAlive() ? hosts.get(name) : await start(name, environment))
      return up
    },
    hosts: () => [...hosts.values()].filter((host) => host.isAlive()),
    homes: () => [...hosts.keys()].map(homeOf),
    liveTurns,
    processesOf,
    stillRunning: async (identities) => {
      const states = await Promise.all(identities.map((one) => processTable().isRunning(one)))
      return identities.filter((_, index) => states[index])
    },
    /** The last log lines of each host, printed when a round fails. */
    recentLogs: async () =>
      Promise.all(
        [...hosts.keys()].map(async (name) => {
          const text = await readFile(join(folder, `${name}.log`), 'utf8').catch(() => '')
          return `${name}: ${text.trim().split('\n').slice(-4).join('\n   ')}`
        }),
      ),
    /** What an operator set in the round before must not decide this one. A new database has nothing to take back. */
    reset: async () => {
      const { rows } = await database.pool.query(`select to_regclass('settings') as settings`)
      if (rows[0].settings !== null)
        await database.pool.query('delete from settings; delete from budgets; delete from accounts')
    },
    /** Stops the host of this name if it is running. */
    stop: async (name) => hosts.get(name)?.stop(),
    /** Stops all hosts; keeps the homes and the database. */
    stopHosts: async () => {
      for (const host of hosts.values()) await host.stop()
    },
    close: async () => {
      await liveTurns().catch(() => undefined)
      for (const host of hosts.values()) {
        host.signal('SIGCONT')
        await host.stop()
      }
      for (const { pid } of await processesOf([...markers])) killIfRunning(pid)
      await database.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Waits until these sessions have no open turn. */
export function settled({ pool }, ids, limitMs = 90_000) {
  const ask = async () =>
    (
      await pool.query(
        `select id, status from sessions
         where id = any($1)
           and (status in ('waiting', 'running') or exists (
             select from turns where session_id = sessions.id and state <> 'ended'
           ))`,
        [ids],
      )
    ).rows
  return until('every session has settled', ask, (rows) => rows.length === 0, limitMs)
}

/** Exactly one, two or three hosts, by the seed: a host of the round before would make a round with one host a round with two. */
export function startHosts(cluster, seed) {
  return cluster.only(1 + (seed % 3))
}

/** Creates a session and returns its id. */
export async function createSession({ gitRoot }, host, prompt, more = {}) {
  const asked = { git_root: gitRoot, agent_runtime: 'demo', prompt, ...more }
  const { status, body } = await host.post('/api/v1/sessions', asked)
  if (status !== 201) throw new Error(`creating a session failed: ${status} ${JSON.stringify(body)}`)
  return body.session.id
}

/** Waits until the agents of these sessions run, and returns their turns. */
export async function agentsUp(cluster, ids, limitMs = 30_000) {
  const ask = async () =>
    (await cluster.liveTurns()).filter(({ session_id, pid }) => ids.includes(session_id) && pid !== null)
  return (await until('every agent runs', ask, (turns) => turns.length === ids.length, limitMs)).answer
}

/**
 * Seconds from `since` until every session of these turns has ended its turn or runs a new agent process.
 */
export async function recovery({ pool }, turns, since, limitMs = 60_000) {
  const ask = async () =>
    (
      await pool.query(
        `select t.id from turns t join sessions s on s.id = t.session_id
         where t.id = any($1)
           and not (s.status in ('needs_input', 'failed', 'archived')
             or exists (
               select from turns now
               where now.session_id = t.session_id and now.state = 'executing' and now.pid is not null
                 and now.run_marker <> all($2)
             ))`,
        [turns.map(({ id }) => id), turns.map(({ run_marker }) => run_marker)],
      )
    ).rows
  await until('every session has recovered', ask, (rows) => rows.length === 0, limitMs)
  return (performance.now() - since) / 1000
}

async function openDatabaseServer(folder) {
  await mkdir(folder)
  const home = await openHome(folder)
  const startServer = () =>
    startEmbeddedPostgres({
      home: home.path,
      log: { info: () => undefined, warn: () => undefined },
      settings: { max_connections: '200' },
    })
  let server = await startServer()
  const pool = new pg.Pool({ connectionString: server.connectionString, max: 4 })
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)
  return {
    url: server.connectionString,
    pool,
    pid: () => server.pid(),
    /** Kills the server. It stays down until `restart`. */
    kill: async () => {
      process.kill(server.pid(), 'SIGKILL')
      await server.stop()
    },
    restart: async () => {
      server = await startServer()
      await keepPassword(server.connectionString, new URL(pool.options.connectionString).password)
    },
    close: async () => {
      await pool.end()
      await server.stop()
      await home.release()
    },
  }
}

/** Each start of the server sets a new password. The hosts of a round know the first one. */
async function keepPassword(connectionString, password) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(`alter role current_user password '${password}'`)
  await client.end()
}

async function makeRepository(folder) {
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'maintenance.auto=false']
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  await run('git', ['init', '--quiet', '--initial-branch=main', folder], { env })
  await writeFile(join(folder, 'README.md'), 'hello\n')
  await run('git', ['-C', folder, 'add', '--all'], { env })
  await run('git', [...author, '-C', folder, 'commit', '--quiet', '--message', 'first'], { env })
  return folder
}

export function killIfRunning(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has exited already.
  }
}

/** On the server of the round, made by its superuser: the role of the hosts may make none. */
export async function emptyDatabase({ folder, database }, name) {
  const url = new URL(database.url)
  const owner = url.username
  url.pathname = `/${name.replaceAll('-', '_')}`
  const server = new URL(database.url)
  server.username = superuser
  server.password = await readPassword(join(folder, 'database', 'postgres', 'password'))
  const client = new pg.Client({ connectionString: server.href })
  await client.connect()
  await client.query(`create database ${url.pathname.slice(1)} owner ${owner}`)
  await client.end()
  return url.href
}
