import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** A class of a halted queue whose handler does almost nothing. */
const job = 'run_post_deploy_tasks'

/**
 * Writes down every claim, discard and move of a job, by the database itself. Rounds may share a database: a worker that runs the
 * trigger of an earlier round has locked the jobs and then wants this table, so the jobs are locked first.
 */
const watch = `
  lock table graphile_worker._private_jobs in access exclusive mode;
  drop table if exists job_changes;
  drop function if exists note_job_change cascade;
  create table job_changes (job_id bigint, kind text, was_claimed boolean, xid text, at timestamptz);
  create function note_job_change() returns trigger language plpgsql as $$
  begin
    insert into job_changes values (
      new.id,
      case
        when old.locked_at is null and new.locked_at is not null then 'claim'
        when new.last_error like 'Discarded by %' and old.last_error is distinct from new.last_error then 'discard'
        when new.run_at <> old.run_at then 'move'
        else 'end'
      end,
      old.locked_at is not null,
      pg_current_xact_id()::text,
      clock_timestamp()
    );
    return new;
  end $$;
  create trigger note_job_change after update on graphile_worker._private_jobs
    for each row when (new.task_id = (0)) execute function note_job_change()`

async function watchJobs({ pool }, count) {
  const add = `select graphile_worker.add_job('${job}', '{}') from generate_series(1, $1)`
  await pool.query(add, [1])
  const { rows } = await pool.query('select id from graphile_worker._private_tasks where identifier = $1', [job])
  await pool.query(watch.replace('(0)', String(rows[0].id)))
  await pool.query(add, [count])
}

async function left({ pool }) {
  const { rows } = await pool.query(
    'select count(*)::int as count from graphile_worker.jobs where task_identifier = $1 and attempts < max_attempts',
    [job],
  )
  return rows[0].count
}

function post(host, action, body = {}) {
  return host.post(`/api/v1/health/${action}`, body)
}

export const frozenIntoRecoveryMode = {
  name: 'R71',
  what: 'recovery mode entered while thousands of jobs are due and one of two hosts is frozen; it wakes after the answer',
  seeds: 10,
  limitSeconds: 120,
  limits: { 'jobs started after the answer': 0 },
  round: async ({ cluster, seed, random }) => {
    const [answering, frozen] = [await cluster.up('a'), await cluster.up('b')]
    await watchJobs(cluster, 4000)
    await wait(random.between(0, 300))
    frozen.signal('SIGSTOP')
    await wait(random.between(0, 300))
    const { status } = await post(answering, 'enter_queue_recovery_mode', { reason: 'R71', ttl_minutes: 5 })
    if (status !== 200) throw new Error(`recovery mode was answered ${status}`)
    const { rows: now } = await cluster.pool.query('select clock_timestamp() as at')
    frozen.signal('SIGCONT')
    const tag = `R71.${seed}`
    const id = await createSession(cluster, answering, cluster.effects.prompt(tag, 1, 'say done'))
    await settled(cluster, [id])
    await wait(2000)
    const { rows } = await cluster.pool.query(
      "select count(*)::int as count from job_changes where kind = 'claim' and at > $1",
      [now[0].at],
    )
    const halted = await left(cluster)
    const isExpired = random.between(0, 2) < 1
    if (isExpired)
      await cluster.pool.query("update queue_recovery set entered_at = now() - interval '1 hour', expires_at = now()")
    else await post(frozen, 'exit_queue_recovery_mode')
    const resumed = await until(
      'every job has run',
      () => left(cluster),
      (count) => count === 0,
    )
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes()),
      figures: {
        'jobs started after the answer': rows[0].count,
        'jobs that waited': halted,
        'all run after the end (s)': resumed.seconds,
      },
    }
  },
}

export const killWhileDiscarding = {
  name: 'R72',
  what: 'kill -9 of a host while both hosts discard and reschedule the jobs that their workers claim',
  seeds: 10,
  limitSeconds: 120,
  limits: { 'claimed jobs changed': 0, 'discarded jobs that ran': 0, 'answers with a wrong count': 0 },
  round: async ({ cluster, random }) => {
    const [first, second] = [await cluster.up('a'), await cluster.up('b')]
    await watchJobs(cluster, 3000)
    const counts = []
    let isOver = false
    const change = async (host, action) => {
      while (!isOver) {
        const expected = Math.min(await left(cluster), 2000)
        const scope = { job_class: job, expected_count: expected, delay_minutes: 0 }
        const answer = await post(host, action, scope)
        if (answer.status === 0) return
        if (answer.status === 200 && answer.body.affected > 0) counts.push(answer.body.affected)
        else if (answer.status === 422 && answer.body.matched <= 2000 && answer.body.matched > 0) {
          const again = await post(host, action, { ...scope, expected_count: answer.body.matched }).catch(
            () => undefined,
          )
          if (again.status === 200 && again.body.affected > 0) counts.push(again.body.affected)
        }
        await wait(random.between(0, 20))
      }
    }
    const callers = [first, second].map((host) => change(host, 'reschedule_queued_jobs'))
    const discarding = wait(random.between(1000, 2500)).then(() => change(second, 'discard_queued_jobs'))
    await wait(random.between(500, 3000))
    await first.kill()
    await cluster.start('a')
    await until(
      'no job waits',
      () => left(cluster),
      (count) => count === 0,
    )
    isOver = true
    await Promise.all([...callers, discarding])
    if (counts.length === 0) throw new Error('no call changed a job, so the round shows nothing')
    const { rows } = await cluster.pool.query(`
      select
        count(*) filter (where kind in ('discard', 'move') and was_claimed)::int as claimed,
        count(*) filter (where kind = 'claim' and exists (
          select from job_changes as discard
          where discard.job_id = job_changes.job_id and discard.kind = 'discard' and discard.at < job_changes.at
        ))::int as ran,
        array(
          select count(*)::int from job_changes where kind in ('discard', 'move') group by xid, kind
        ) as changed
      from job_changes`)
    const unseen = [...rows[0].changed]
    const wrong = counts.filter((count) => {
      const place = unseen.indexOf(count)
      if (place >= 0) unseen.splice(place, 1)
      return place < 0
    })
    return {
      ...judge(cluster.effects, [], cluster.homes()),
      figures: {
        'claimed jobs changed': rows[0].claimed,
        'discarded jobs that ran': rows[0].ran,
        'answers with a wrong count': wrong.length,
        'changes answered': counts.length,
      },
    }
  },
}
