import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { restore } from '../../../../dist/app/backup/restore.js'
import { emptyDatabase, masterKey } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

const fixture = fileURLToPath(new URL('../../../fixtures/upgrade/bbcd5b2.tar.gz', import.meta.url))
const program = fileURLToPath(new URL('../host.mjs', import.meta.url))
/** The session of the fixture that is at rest. */
const rested = 1

export const killedUpgrade = {
  name: 'R79',
  what: 'starts on the data of an older release are killed between and within migrations; the next one goes on',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    const name = `upgraded-${seed}`
    const home = join(cluster.folder, `home-${name}`)
    const databaseUrl = await emptyDatabase(cluster, name)
    await restore({ home, databaseUrl, file: fixture })
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    const problems = []
    const stops = []
    try {
      const oldest = await versionOf(client)
      for (let attempt = 1; attempt <= (isShort ? 2 : 5); attempt += 1) {
        stops.push((await killAt(client, { home, databaseUrl }, oldest + random.between(0, 8), random)) - oldest)
      }
      const host = await cluster.start(name, { DATABASE_URL: databaseUrl })
      const { rows } = await client.query('select version from schema_migrations order by version')
      if (rows.some(({ version }, index) => version !== index + 1)) problems.push('a migration is missing or doubled')
      const { body } = await host.get('/api/v1/sessions')
      if (body.sessions.length !== 3) problems.push(`${body.sessions.length} of 3 sessions are there`)
      const tag = `R79.${seed}`
      const { status } = await host.post(`/api/v1/sessions/${rested}/follow_up`, {
        prompt: cluster.effects.prompt(tag, 1),
      })
      if (status >= 300) problems.push(`a follow-up after the upgrade answered ${status}`)
      await until(
        'the old session works',
        async () => cluster.effects.lines().filter((line) => line.tag === tag && line.mark === 'end'),
        ({ length }) => length > 0,
      )
      await host.stop()
      return {
        ...judge(cluster.effects, [{ tag, number: 1 }], []),
        problems,
        figures: { 'migrations applied by the starts that were killed': Math.max(...stops) },
      }
    } finally {
      await client.end()
    }
  },
}

/** Starts a host and kills it when the schema has this version, or a little later. Returns the version then. */
async function killAt(client, { home, databaseUrl }, version, random) {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      HOME: tmpdir(),
      YARDMASTER_HOME: home,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      YARDMASTER_MASTER_KEY: masterKey,
    },
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const isUnderway = async () => {
    const { rows } = await client.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'yardmaster setup'`,
    )
    return rows.length > 0
  }
  while (child.exitCode === null && !((await isUnderway()) && (await versionOf(client)) >= version)) await wait(1)
  await wait(random.between(0, 15))
  child.kill('SIGKILL')
  await ended
  return versionOf(client)
}

async function versionOf(client) {
  const { rows } = await client.query('select max(version)::int as version from schema_migrations')
  return rows[0].version
}
