import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

const path = '/api/v1/transcript_archive/download'
/** Callers read slowly, so that faults happen in the middle. */
const pauseMs = 2

export const brokenDownloads = {
  name: 'R80',
  what: 'hosts and the database are killed during downloads of the archive while sessions change; each is continued to the same bytes',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random, isShort }) => {
    await cluster.only(2)
    const ids = await writeTranscripts(cluster, { sessions: 20, entries: isShort ? 100 : 200 })
    await store(cluster)
    let serving = (await cluster.only(2))[seed % 2]
    const begun = await serving.open(path, { headers: {} })
    const tag = begun.headers.get('etag')
    const size = Number(begun.headers.get('content-length'))
    const digest = createHash('sha256')
    let received = 0
    let resumed = 0
    const problems = []
    const faults = [
      () => serving.kill(),
      async () => {
        await cluster.database.kill()
        await wait(random.between(100, 1500))
        await cluster.database.restart()
      },
      async () => {
        await cluster.pool.query('update sessions set title = $2, updated_at = now() where id = any($1)', [
          ids.filter(() => random.between(0, 2) === 0),
          `changed ${received}`,
        ])
        await store(cluster)
      },
    ]
    let answer = begun
    for (const fault of isShort ? faults : [...faults, ...faults]) {
      await takeTo(received + random.between(1, Math.max(2, Math.floor((size - received) / 3))))
      await fault()
    }
    await takeTo(size)
    const whole = createHash('sha256')
    const again = await resume(0)
    for await (const chunk of again.body) whole.update(chunk)
    if (whole.digest('hex') !== digest.digest('hex')) problems.push('the parts are not the archive that was begun')
    await cluster.pool.query('delete from sessions where id = any($1)', [ids])
    return {
      ...judge(cluster.effects, [], cluster.homes()),
      problems,
      figures: { 'parts continued': resumed },
    }

    async function takeTo(end) {
      while (received < end && !(await take(answer, end))) {
        resumed += 1
        answer = await resume()
      }
    }

    /** Reads up to an offset, or until the connection breaks: then false. */
    async function take({ body }, end) {
      const reader = body.getReader()
      try {
        while (received < end) {
          const { value, done } = await reader.read()
          if (done) return false
          digest.update(value)
          received += value.length
          await wait(pauseMs)
        }
        return true
      } catch {
        return false
      } finally {
        reader.releaseLock()
      }
    }

    async function resume(from = received) {
      const { answer: part } = await until(
        'a host continues the download',
        async () => {
          serving = (await cluster.only(2))[random.between(0, 2)]
          return serving
            .open(path, { headers: { range: `bytes=${from}-`, 'if-range': tag } })
            .catch(() => ({ status: 0 }))
        },
        ({ status }) => status === 206 || status === 200,
      )
      if (part.status !== 206) throw new Error('the archive that was begun is gone')
      return part
    }
  },
}

async function store(cluster) {
  const [host] = await cluster.only(2)
  await host.command('runPeriodic', { name: 'update_transcript_archive' })
}

async function writeTranscripts({ pool }, { sessions, entries }) {
  const { rows } = await pool.query(
    `insert into sessions (agent_runtime, genesis, git_root, branch, status)
     select 'demo', 'api', '/none', 'main', 'needs_input' from generate_series(1, $1::int)
     returning id`,
    [sessions],
  )
  const ids = rows.map(({ id }) => id)
  await pool.query(
    `insert into transcript_threads (session_id, thread, entry_count) select unnest($1::bigint[]), 'main', $2`,
    [ids, entries],
  )
  await pool.query(
    `insert into transcript_entries (session_id, thread, sequence, line)
     select id, 'main', n, repeat(md5(id::text || n::text), 300)
     from unnest($1::bigint[]) as id, generate_series(1, $2::int) as n`,
    [ids, entries],
  )
  return ids
}
