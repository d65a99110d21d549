import type pg from 'pg'

type Columns = Record<string, unknown>

/** Inserts a session directly into its table, for states that no endpoint can create. Returns its id. */
export async function insertSession(pool: pg.Pool, columns: Columns = {}): Promise<number> {
  const [id] = await insertSessions(pool, [columns])
  if (id === undefined) throw new Error('no session was inserted')
  return id
}

export async function insertSessions(pool: pg.Pool, sessions: readonly Columns[]): Promise<number[]> {
  const ids: number[] = []
  for (const columns of sessions) {
    const row: Columns = {
      agent_runtime: 'demo',
      genesis: 'api',
      git_root: '/srv/repositories/widgets',
      branch: 'main',
      config: { model: 'demo' },
      ...columns,
    }
    const names = Object.keys(row)
    const { rows } = await pool.query<{ id: string }>(
      `insert into sessions (${names.join(', ')})
       values (${names.map((_, index) => `$${index + 1}`).join(', ')})
       returning id`,
      Object.values(row),
    )
    ids.push(Number(rows[0]?.id))
  }
  return ids
}

/** Inserts a session with a running turn on another host, so that the host under test does not end it. */
export async function insertRunningSession(pool: pg.Pool, columns: Columns = {}): Promise<number> {
  const id = await insertSession(pool, { status: 'running', host_id: 'elsewhere', ...columns })
  await pool.query(
    `insert into turns (session_id, sequence, source, prompt, state, lease_owner, lease_expires_at, run_marker, pid, started_at)
     values ($1, 1, 'create', 'say hello', 'executing', 'elsewhere', now() + interval '1 hour', gen_random_uuid(), 1, now())`,
    [id],
  )
  return id
}

/** Stores a transcript: one entry for each line, in the given thread. */
export async function insertTranscript(
  pool: pg.Pool,
  sessionId: number,
  lines: readonly string[],
  thread = 'main',
): Promise<void> {
  await pool.query('insert into transcript_threads (session_id, thread, entry_count) values ($1, $2, $3)', [
    sessionId,
    thread,
    lines.length,
  ])
  await pool.query(
    `insert into transcript_entries (session_id, thread, sequence, line)
     select $1, $2, ordinality, line
     from unnest($3::text[]) with ordinality as entry (line, ordinality)`,
    [sessionId, thread, lines],
  )
}
