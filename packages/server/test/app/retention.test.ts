import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { testApp } from '../support/app/app.ts'
import { emptyTables } from '../support/database/empty-tables.ts'
import { runPeriodic } from '../support/jobs/run-periodic.ts'
import { insertRunningSession, insertSession } from '../support/sessions/session-rows.ts'

const app = testApp({ environment: { ROLE: 'web', RETENTION_LOG_DAYS: '60' } })

beforeEach(() => emptyTables(app.pool, 'sessions', 'orphaned_folders'))

const run = (name: string) => runPeriodic(app.host.app, name)

async function texts(query: string): Promise<string[]> {
  return (await app.pool.query<{ text: string }>(query)).rows.map(({ text }) => text)
}

describe('prune_logs', () => {
  test('deletes lines after the days that the operator chose, and verbose ones sooner', async () => {
    const id = await insertSession(app.pool)
    for (const [level, days] of [
      ['info', 59],
      ['info', 61],
      ['error', 61],
      ['verbose', 13],
      ['verbose', 15],
    ])
      await app.pool.query(
        `insert into session_logs (session_id, level, origin, content, created_at) values ($1, $2, 'service', $2 || $3::int, now() - make_interval(days => $3::int))`,
        [id, level, days],
      )
    await run('prune_logs')
    await run('prune_verbose_logs')
    expect(await texts('select content as text from session_logs order by id')).toEqual(['info59', 'verbose13'])
  })

  test('deletes more than a slice in one run', async () => {
    const id = await insertSession(app.pool)
    await app.pool.query(
      `insert into session_logs (session_id, level, origin, content, created_at)
       select $1, 'info', 'caller', 'old', now() - interval '100 days' from generate_series(1, 2500)`,
      [id],
    )
    await run('prune_logs')
    expect(await texts('select content as text from session_logs')).toEqual([])
  })
})

describe('prune_dead_jobs', () => {
  test('deletes jobs that died long ago, and neither those that died lately nor those that still run or wait', async () => {
    const job = async (key: string, columns: string) => {
      await app.pool.query(
        "select graphile_worker.add_job('no_such_job', job_key => $1, run_at => now() + interval '1 day')",
        [key],
      )
      await app.pool.query(`update graphile_worker._private_jobs set ${columns} where key = $1`, [key])
    }
    const old = "updated_at = now() - interval '15 days'"
    await job('dead', `attempts = max_attempts, ${old}`)
    await job('young', "attempts = max_attempts, updated_at = now() - interval '13 days'")
    await job('waiting', old)
    await job('claimed', `attempts = max_attempts, locked_at = now(), locked_by = 'w', ${old}`)
    await run('prune_dead_jobs')
    expect(
      await texts(
        "select key as text from graphile_worker._private_jobs where key in ('dead', 'young', 'waiting', 'claimed') order by 1",
      ),
    ).toEqual(['claimed', 'waiting', 'young'])
  })
})

describe('prune_turns', () => {
  const turn = (id: number, sequence: number, days: number, prompt = `turn ${sequence}`) =>
    app.pool.query(
      `insert into turns (session_id, sequence, source, prompt, state, outcome, ended_at)
       values ($1, $2, 'follow_up', $4, 'ended', 'completed', now() - make_interval(days => $3::int))`,
      [id, sequence, days, prompt],
    )
  const turnsOf = (id: number) => texts(`select prompt as text from turns where session_id = ${id} order by sequence`)

  test('deletes turns that ended long ago, but not the first and the last of a session', async () => {
    const id = await insertSession(app.pool)
    for (const sequence of [1, 2, 3, 4]) await turn(id, sequence, 200)
    const other = await insertSession(app.pool)
    await turn(other, 1, 200)
    await turn(other, 2, 89)
    await turn(other, 3, 1)
    await run('prune_turns')
    expect(await turnsOf(id)).toEqual(['turn 1', 'turn 4'])
    expect(await turnsOf(other)).toEqual(['turn 1', 'turn 2', 'turn 3'])
  })

  test('deletes no turn that has not ended, and none whose prompt names an issue or a pull request', async () => {
    const id = await insertRunningSession(app.pool)
    await app.pool.query(
      "update turns set sequence = 5, created_at = now() - interval '300 days' where session_id = $1",
      [id],
    )
    await turn(id, 1, 200)
    await turn(id, 2, 200, 'see https://forge.test/a/b/pull/7')
    await turn(id, 3, 200, 'see https://forge.test/a/b/issues/8')
    await turn(id, 4, 200)
    await run('prune_turns')
    expect(await turnsOf(id)).toHaveLength(4)
  })

  test('keeps the number of the next turn', async () => {
    const id = await insertSession(app.pool, { status: 'needs_input', session_id: 'known' })
    for (const sequence of [1, 2, 3]) await turn(id, sequence, 200)
    await run('prune_turns')
    await app.post(`/sessions/${id}/follow_up`, { prompt: 'say next' })
    expect(
      (await app.pool.query('select max(sequence)::int as last from turns where session_id = $1', [id])).rows[0].last,
    ).toBe(4)
  })
})

describe('prune_unclaimed_attachments', () => {
  test('deletes files that no prompt has named for seven days, and none that a session keeps', async () => {
    const session = await insertSession(app.pool)
    for (const [name, keeper, days] of [
      ['new', null, 6],
      ['forgotten', null, 8],
      ['kept', session, 400],
    ])
      await app.pool.query(
        `insert into attachments (id, session_id, name, size_bytes, content, created_at)
         values (left(md5($1), 24), $2, $1, 1, 'a', now() - make_interval(days => $3))`,
        [name, keeper, days],
      )
    await run('prune_unclaimed_attachments')
    expect(await texts('select name as text from attachments order by name')).toEqual(['kept', 'new'])
  })

  test('leaves a file that a prompt names at that moment', async () => {
    const session = await insertSession(app.pool)
    await app.pool.query(
      `insert into attachments (id, session_id, name, size_bytes, content, created_at)
       values (left(md5('late'), 24), null, 'late', 1, 'a', now() - interval '8 days')`,
    )
    const client = await app.pool.connect()
    try {
      await client.query('begin')
      await client.query("update attachments set session_id = $1 where name = 'late'", [session])
      await run('prune_unclaimed_attachments')
      await client.query('commit')
    } finally {
      client.release()
    }
    expect(await texts("select name as text from attachments where name = 'late'")).toEqual(['late'])
  })
})

describe('prune_cli_reports', () => {
  test('deletes what hosts reported that are gone', async () => {
    await app.pool.query(
      `insert into cli_reports (host_id, tools, checked_at) values ('gone', '{}', now() - interval '2 days'), ('here', '{}', now())`,
    )
    await run('prune_cli_reports')
    expect(await texts('select host_id as text from cli_reports')).toEqual(['here'])
  })
})

describe('prune_orphaned_folders', () => {
  const home = () => app.host.app.home
  const folder = async (...parts: string[]) => {
    const path = home().in(...parts)
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'file'), 'x')
    return path
  }
  const age = (days: number) =>
    app.pool.query('update orphaned_folders set seen_at = now() - make_interval(days => $1)', [days])

  test('removes folders that have had no session for days, with all that belongs to them', async () => {
    const paths = [
      await folder('clones', 'session-900001'),
      await folder('runtimes', 'session-900001'),
      await folder('runtimes', 'session-900001.kept'),
    ]
    await run('prune_orphaned_folders')
    expect(paths.filter(existsSync)).toEqual(paths)
    await age(3)
    await run('prune_orphaned_folders')
    expect(paths.filter(existsSync)).toEqual([])
    await run('prune_orphaned_folders')
    expect((await app.pool.query('select from orphaned_folders')).rowCount).toBe(0)
  })

  test('keeps the folders of a session, also of one whose row came after the folder was seen', async () => {
    const id = await insertSession(app.pool, { status: 'archived', archived_at: new Date(0) })
    const clone = await folder('clones', `session-${id}`)
    const early = await folder('clones', 'session-900002')
    await run('prune_orphaned_folders')
    await age(3)
    await app.pool.query(
      `insert into sessions (id, agent_runtime, genesis, git_root, branch) overriding system value values (900002, 'demo', 'api', '/x', 'main')`,
    )
    await run('prune_orphaned_folders')
    expect([clone, early].every(existsSync)).toBe(true)
    // It begins to count again.
    await app.pool.query('delete from sessions where id = 900002')
    await run('prune_orphaned_folders')
    expect(existsSync(early)).toBe(true)
    await age(3)
    await run('prune_orphaned_folders')
    expect([existsSync(clone), existsSync(early)]).toEqual([true, false])
  })

  test('waits for the lock that a new workspace takes, and looks again for a session', async () => {
    const { withWorkspaceLock } = await import('../../src/domain/workspaces/workspace.ts')
    const path = await folder('clones', 'session-900003')
    await run('prune_orphaned_folders')
    await age(3)
    let pruning: Promise<unknown> = Promise.resolve()
    await withWorkspaceLock(app.host.app, 900003, async () => {
      pruning = run('prune_orphaned_folders')
      await new Promise((resolve) => setTimeout(resolve, 50))
      await app.pool.query(
        `insert into sessions (id, agent_runtime, genesis, git_root, branch) overriding system value values (900003, 'demo', 'api', '/x', 'main')`,
      )
    })
    await pruning
    expect(existsSync(path)).toBe(true)
    await rm(path, { recursive: true })
  })

  test('follows no link, and leaves alone what is not named after a session', async () => {
    const outside = join(app.shared, 'outside')
    await mkdir(outside, { recursive: true })
    await writeFile(join(outside, 'precious'), 'x')
    const inside = await folder('clones', 'session-900004')
    await symlink(outside, join(inside, 'link'))
    await mkdir(home().in('clones'), { recursive: true })
    await symlink(outside, home().in('clones', 'session-900005'))
    for (const name of ['session-', 'session-0', 'session-x', 'session-900006-old', 'my-session-7'])
      await folder('clones', name)
    await run('prune_orphaned_folders')
    await age(3)
    await run('prune_orphaned_folders')
    expect(existsSync(inside)).toBe(false)
    expect(existsSync(join(outside, 'precious'))).toBe(true)
    expect((await readdir(home().in('clones'))).filter((name) => !name.endsWith('.lock')).toSorted()).toEqual([
      'my-session-7',
      'session-',
      'session-0',
      'session-900005',
      'session-900006-old',
      'session-x',
    ])
  })
})
