import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, sampleRepository, testApp } from '../../../support/app/app.ts'
import { atRest, entriesOf } from '../../../support/sessions/demo-session.ts'

const app = testApp()
let folder = ''
let repository = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yardmaster-race-'))
  repository = await sampleRepository(join(folder, 'widgets'))
  // The worker deletes finished jobs; this table records every job that was added.
  await app.pool.query(`
    create table jobs_ever (task text);
    create function remember_job() returns trigger language plpgsql as $$
    begin
      insert into jobs_ever select identifier from graphile_worker._private_tasks where id = new.task_id;
      return new;
    end
    $$;
    create trigger remember_job after insert on graphile_worker._private_jobs
      for each row execute function remember_job();
  `)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const concurrently = (count: number, create: (n: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => create(n)))

const countOf = (answers: readonly Answer[], wanted: number): number =>
  answers.filter(({ status }) => status === wanted).length

test('200 concurrent creates with one key give one session, one turn, one run, one 201 and 199 replays', async () => {
  const answers = await concurrently(200, (n) =>
    app.post('/sessions', {
      git_root: repository,
      agent_runtime: 'demo',
      prompt: 'say once',
      title: `Title ${n}`,
      idempotency_key: 'one',
    }),
  )
  expect([countOf(answers, 201), countOf(answers, 200)]).toEqual([1, 199])
  for (const { status, body } of answers) expect(body.idempotent_replay).toBe(status === 200 ? true : undefined)
  const ids = new Set(answers.map(({ body }) => body.session.id))
  expect(ids.size).toBe(1)
  const [id] = ids
  expect((await app.get('/sessions')).body.pagination.total_count).toBe(1)

  expect((await atRest(app, id)).status).toBe('needs_input')
  expect((await app.pool.query('select id from turns')).rows).toEqual([{ id: answers[0]?.body.session.job_id }])
  const prompts = (await entriesOf(app, id)).filter(({ type }) => type === 'user')
  expect(prompts).toHaveLength(1)
  const { rows: runs } = await app.pool.query(`select task from jobs_ever where task like 'run_turn%'`)
  expect(runs).toHaveLength(1)
  const { rows: created } = await app.pool.query(`select from events where name = 'session.created'`)
  expect(created).toHaveLength(1)
})

test('concurrent creates with one key and one slug are replays, not rejected for the taken slug', async () => {
  for (let round = 0; round < 5; round += 1) {
    const answers = await concurrently(20, () =>
      app.post('/sessions', { git_root: repository, slug: `mine-${round}`, idempotency_key: `mine-${round}` }),
    )
    expect([countOf(answers, 201), countOf(answers, 200)]).toEqual([1, 19])
    expect(new Set(answers.map(({ body }) => body.session.id)).size).toBe(1)
  }
})

test('of concurrent creates with one slug and no key one succeeds and the others are rejected', async () => {
  const answers = await concurrently(10, () => app.post('/sessions', { git_root: repository, slug: 'contested' }))
  expect([countOf(answers, 201), countOf(answers, 422)]).toEqual([1, 9])
  for (const { body } of answers.filter(({ status }) => status === 422)) {
    expect(body.messages).toEqual(['Slug has already been taken'])
  }
})

test('concurrent creates with one title each get their own slug', async () => {
  const answers = await concurrently(30, () => app.post('/sessions', { git_root: repository, title: 'One of many' }))
  expect(countOf(answers, 201)).toBe(30)
  const slugs: string[] = answers.map(({ body }) => body.session.slug)
  expect(new Set(slugs).size).toBe(30)
  for (const slug of slugs) expect(slug).toMatch(/^one-of-many-\d{8}-\d{4}(-\d+)?$/)
})

test('a create with a generated slug is never rejected, even if another caller takes the same slug', async () => {
  const stamps = [0, 60_000].map((aheadMs) => {
    const digits = new Date(Date.now() + aheadMs).toISOString().replace(/\D/g, '')
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}`
  })
  const answers = await Promise.all([
    concurrently(10, () => app.post('/sessions', { git_root: repository, title: 'Snatched' })),
    ...stamps.map((stamp) =>
      concurrently(10, (n) =>
        app.post('/sessions', { git_root: repository, slug: `snatched-${stamp}${n === 0 ? '' : `-${n}`}` }),
      ),
    ),
  ])
  expect(countOf(answers[0] ?? [], 201)).toBe(10)
})

test('concurrent creates and deletes with one key never fail and never leave two sessions', async () => {
  const answers = await concurrently(30, async (n) => {
    const answer = await app.post('/sessions', { git_root: repository, idempotency_key: 'comes and goes' })
    if (n % 3 === 0) await app.delete(`/sessions/${answer.body.session?.id}`)
    return answer
  })
  expect(countOf(answers, 201) + countOf(answers, 200)).toBe(30)
  const { rows } = await app.pool.query(`select from sessions where idempotency_key = 'comes and goes'`)
  expect(rows.length).toBeLessThanOrEqual(1)
})
