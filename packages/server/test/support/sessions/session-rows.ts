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
