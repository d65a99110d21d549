import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { judgeStored } from '../stored.mjs'

/** The tables that a turn writes to. Their triggers raise what PostgreSQL raises when it cannot extend a file. */
const tables = ['turns', 'sessions', 'transcript_entries', 'session_logs', 'events']
const states = { 'full disk': '53100', 'out of memory': '53200', 'I/O error': '58030' }

export const fullDisk = {
  name: 'R30',
  what: 'the database has a full disk, no memory or I/O errors for ten seconds while turns start, write and end',
  seeds: 20,
  limitSeconds: 180,
  recoveryLimitSeconds: 60,
  round: async ({ cluster, seed, random }) => {
    const hosts = await cluster.only(1 + (seed % 3))
    const accepted = []
    const ids = []
    const problems = new Set()
    for (let index = 0; index < 6; index += 1) {
      const tag = `R30.${seed}.${index}`
      const work = ['say one', `sleep ${random.between(0, 60) / 10}`, 'say two']
      const host = random.pick(hosts)
      ids.push(await createSession(cluster, host, cluster.effects.prompt(tag, 1, ...work)))
      await host.command('enqueue', { id: ids.at(-1), prompt: cluster.effects.prompt(tag, 2) })
      for (const number of [1, 2]) accepted.push({ tag, number })
    }
    await wait(random.between(0, 2500))
    await cluster.pool.query(
      `create or replace function fail_writes() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file' using errcode = '${states[random.pick(Object.keys(states))]}'; end $$`,
    )
    for (const table of tables)
      await cluster.pool.query(
        `create trigger fail_writes before insert or update on ${table} for each row execute function fail_writes()`,
      )
    for (let second = 0; second < 10; second += 1) {
      const body = { git_root: cluster.gitRoot, agent_runtime: 'demo', prompt: 'say no' }
      const { status } = await random.pick(hosts).post('/api/v1/sessions', body)
      if (status !== 503) problems.add(`a create answered ${status}`)
      await wait(1000)
    }
    for (const table of tables) await cluster.pool.query(`drop trigger fail_writes on ${table}`)
    const { seconds } = await settled(cluster, ids)
    const { rows } = await cluster.pool.query("select from sessions where id = any($1) and status = 'failed'", [ids])
    if (rows.length > 0) problems.add(`${rows.length} sessions failed`)
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      recoverySeconds: seconds,
      problems: [...problems, ...(await judgeStored(cluster, ids, accepted))],
    }
  },
}
