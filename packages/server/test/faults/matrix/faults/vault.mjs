import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { migrate } from '../../../../dist/platform/db/migrate.js'
import { newMasterKey, readKeyFile, writeKeyFile } from '../../../../dist/platform/vault/master-key.js'
import { isSealedBy, seal, unseal } from '../../../../dist/platform/vault/seal.js'
import { emptyDatabase } from '../cluster.mjs'
import { judge } from '../effects.mjs'

const program = fileURLToPath(new URL('../vault-program.mjs', import.meta.url))
const credentials = 1500

export const killedRotation = {
  name: 'R70',
  what: 'the rotation of the master key is killed at any step; every credential opens, and the next run completes it',
  seeds: 20,
  limitSeconds: 300,
  round: ({ cluster, seed, random, isShort }) =>
    onDatabase(cluster, `rotated-${seed}`, async ({ url, pool, homes: [home], problems }) => {
      await firstStart(home, url)
      await addCredentials(pool, home)
      let kills = 0
      for (let attempt = 0; attempt < (isShort ? 3 : 8); attempt += 1) {
        const { code } = await run('rotate', home, url, {
          killAtStep: random.between(1, 14),
          afterMs: random.between(0, 10),
        })
        if (code !== 0) kills += 1
        problems.push(...(await unopened(pool, [home])))
      }
      const { code, output } = await run('rotate', home, url)
      if (code !== 0) problems.push(`the last rotation failed: ${output}`)
      problems.push(...(await unopened(pool, [home])))
      const [key, ...others] = await readKeyFile(join(home, 'master-key'))
      const { rows } = await pool.query(
        'select token as sealed from logins union all select check_value from vault_keys',
      )
      if (others.length > 0) problems.push('the home still has an old key')
      if (rows.some(({ sealed }) => !isSealedBy(key, sealed))) problems.push('something is still sealed by an old key')
      return { kills }
    }),
}

export const killedFirstStart = {
  name: 'R77',
  what: 'hosts with homes of their own are killed while they make the first key; one key is made, and opens everything',
  seeds: 20,
  limitSeconds: 180,
  round: ({ cluster, seed, random, isShort }) =>
    onDatabase(cluster, `first-key-${seed}`, async ({ url, pool, homes, problems }) => {
      let kills = 0
      for (let attempt = 0; attempt < (isShort ? 2 : 5); attempt += 1) {
        const starts = homes.map((home) => run('open', home, url, { killAtStep: 1, afterMs: random.between(0, 120) }))
        for (const { code } of await Promise.all(starts)) if (code === null) kills += 1
        problems.push(...(await unopened(pool, homes)))
      }
      // Undisturbed, exactly one of the homes has the key.
      const ends = await Promise.all(homes.map((home) => run('open', home, url)))
      if (ends.filter(({ code }) => code === 0).length !== 1)
        problems.push(`hosts started: ${ends.map(({ code, output }) => `${code} ${output}`).join('; ')}`)
      problems.push(...(await unopened(pool, homes)))
      const { rowCount } = await pool.query('select from vault_keys')
      if (rowCount !== 1) problems.push(`there are ${rowCount} keys`)
      return { kills }
    }),
}

async function onDatabase(cluster, name, work) {
  const url = await emptyDatabase(cluster, name)
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  const homes = ['one', 'two', 'three'].map((each) => join(cluster.folder, `vault-${name}-${each}`))
  for (const home of homes) await mkdir(home)
  const problems = []
  try {
    await migrate(pool)
    await pool.query('create table logins (name text primary key, token sealed_text)')
    const figures = await work({ url, pool, homes, problems })
    return { ...judge(cluster.effects, [], []), problems, figures }
  } finally {
    await pool.end()
  }
}

async function firstStart(home, url) {
  await writeKeyFile(join(home, 'master-key'), [newMasterKey()])
  const { code, output } = await run('open', home, url)
  if (code !== 0) throw new Error(`the first start failed: ${output}`)
}

async function addCredentials(pool, home) {
  const [key] = await readKeyFile(join(home, 'master-key'))
  const names = Array.from({ length: credentials }, (_, index) => `login ${index}`)
  const sealed = names.map((id) => seal(key, { table: 'logins', column: 'token', id }, `token of ${id}`))
  await pool.query('insert into logins select * from unnest($1::text[], $2::text[])', [names, sealed])
}

/** What the keys in the homes do not open. */
async function unopened(pool, homes) {
  const files = homes.map((home) => join(home, 'master-key')).filter((file) => existsSync(file))
  const keys = (await Promise.all(files.map((file) => readKeyFile(file)))).flat()
  const { rows } = await pool.query('select name, token from logins')
  const lost = rows.filter(({ name: id, token }) => {
    try {
      return unseal(keys, { table: 'logins', column: 'token', id }, token) !== `token of ${id}`
    } catch {
      return true
    }
  })
  const { rows: current } = await pool.query('select id from vault_keys')
  const missing = current.filter(({ id }) => !keys.some((key) => key.id === id))
  return [
    ...(lost.length > 0 ? [`${lost.length} of ${rows.length} credentials do not open`] : []),
    ...(missing.length > 0 ? ['no home has a key of the database'] : []),
  ]
}

/** Runs the program, and kills it a little after it announced a step. `code` is null if it was killed. */
async function run(verb, home, url, { killAtStep = Number.POSITIVE_INFINITY, afterMs = 0 } = {}) {
  const child = spawn(process.execPath, [program, verb, home, url], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let steps = 0
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  createInterface({ input: child.stdout }).on('line', async () => {
    steps += 1
    if (steps !== killAtStep) return
    await wait(afterMs)
    child.kill('SIGKILL')
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, output }
}
