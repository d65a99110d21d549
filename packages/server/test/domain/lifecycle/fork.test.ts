import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { forkSession } from '../../../src/domain/lifecycle/fork.ts'
import { restartSession } from '../../../src/domain/lifecycle/restart.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { entriesOf, findDemo } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, busy, rested, say, logs, reaches, settled, effects } = sessionHelpers(app)
const { doing, isDone } = effects

const fork = (id: number, index: number) => forkSession(app.host.app, { id }, index)
const clone = (id: number) => join(app.home, 'clones', `session-${id}`)

describe('a fork', () => {
  test('a fork keeps the entries up to the given one, and continues independently of its source', async () => {
    const source = await rested({ title: 'The source', goal: 'its goal', precedence: 4 })
    const before = await entriesOf(app, source)
    const made = await fork(source, 0)
    expect(made).toMatchObject({
      status: 'needs_input',
      title: 'Fork of The source',
      goal: 'its goal',
      precedence: 5,
      prompt: null,
      slug: null,
      job_id: null,
      idempotency_key: null,
      metadata: { forked_from_session_id: source, forked_at_message_index: 0, clone_path: clone(made.id) },
    })
    expect(await entriesOf(app, made.id)).toEqual(before.slice(0, 1))

    await say(made.id, doing('forked'))
    await isDone('forked')
    await reaches(made.id, 'needs_input')
    const after = await entriesOf(app, made.id)
    expect(after.slice(0, 1)).toEqual(before.slice(0, 1))
    expect(after[1].message.content).toBe(doing('forked'))
    expect(await entriesOf(app, source)).toEqual(before)
    expect((await findDemo(app, source)).session_id).not.toBe((await findDemo(app, made.id)).session_id)
  })

  test('a fork at the last entry has all entries and a copy of the current files', async () => {
    const source = await rested()
    const before = await entriesOf(app, source)
    await writeFile(join(clone(source), 'later.txt'), 'made later\n')
    const made = await fork(source, before.length - 1)
    expect(await entriesOf(app, made.id)).toEqual(before)
    expect(await readFile(join(clone(made.id), 'later.txt'), 'utf8')).toBe('made later\n')
    await writeFile(join(clone(made.id), 'later.txt'), 'changed in the fork\n')
    expect(await readFile(join(clone(source), 'later.txt'), 'utf8')).toBe('made later\n')
    expect(await logs(source)).toContain(`Forked into session ${made.id} at message ${before.length}.`)
    expect(await logs(made.id)).toEqual([
      `Forked from session ${source} at message ${before.length}; the files are as they are now.`,
    ])
  })

  test('a fork can be restarted', async () => {
    const made = await fork(await rested(), 1)
    expect((await restartSession(app.host.app, { id: made.id })).message).toBe('Session restarted')
    await settled(made.id)
    expect((await reaches(made.id, 'needs_input')).status).toBe('needs_input')
  })

  test('a fork of a running session does not interrupt the session', async () => {
    const { id, release } = await busy()
    await eventually(
      () => entriesOf(app, id),
      (entries) => entries.length > 0,
    )
    expect((await fork(id, 0)).status).toBe('needs_input')
    expect((await findDemo(app, id)).status).toBe('running')
    await release()
    await reaches(id, 'needs_input')
  })

  test('a fork publishes session.created', async () => {
    const made = await fork(await rested(), 0)
    const { rows } = await app.pool.query('select name from events where session_id = $1', [made.id])
    expect(rows).toEqual([{ name: 'session.created' }])
  })
})

describe('a fork is refused', () => {
  test('a fork is refused at an index beyond the last entry', async () => {
    const id = await rested()
    const { length } = await entriesOf(app, id)
    await expect(fork(id, length)).rejects.toMatchObject({
      kind: 'fork_failed',
      messages: [`Message index ${length} is out of range (transcript has ${length} messages)`],
    })
  })

  test('a fork is refused when the session has no conversation', async () => {
    await expect(fork(await create(), 0)).rejects.toMatchObject({
      kind: 'fork_failed',
      messages: ['Session has no transcript'],
    })
  })

  test('a fork is refused when the clone of the session is gone', async () => {
    const id = await rested()
    await rm(clone(id), { recursive: true })
    await expect(fork(id, 0)).rejects.toMatchObject({ kind: 'fork_failed' })
  })
})

describe('a fork of a session that changes meanwhile', () => {
  test('a fork of a session that changes meanwhile succeeds while the agent creates and deletes files', async () => {
    const gate = join(app.shared, 'churn-gate')
    const churn = 'for n in 1 2 3 4 5 6 7 8 9; do mkdir -p d$n; echo x > d$n/f; echo x > f$n; rm -r d$n f$n; done'
    const id = await create(`run while [ ! -e ${gate} ]; do ${churn}; done`)
    await eventually(
      () => entriesOf(app, id),
      (entries) => entries.length > 0,
    )
    const answers = []
    for (let round = 0; round < 4; round += 1) {
      answers.push((await app.post(`/sessions/${id}/fork`, { message_index: 0 })).status)
    }
    await writeFile(gate, '')
    expect(answers).toEqual(Array(4).fill(201))
    await reaches(id, 'needs_input')
  })

  test('a fork of a session that changes meanwhile writes its files once when the database makes it repeat the transaction', async () => {
    const source = await rested()
    await app.pool.query(`
      create sequence conflicts;
      create function conflict_once() returns trigger language plpgsql as $$
      begin
        if new.metadata ? 'forked_from_session_id' and nextval('conflicts') < 3 then
          raise exception 'conflict' using errcode = 'serialization_failure';
        end if;
        return new;
      end $$;
      create trigger conflict_once after insert on sessions for each row execute function conflict_once();
    `)
    try {
      const { id } = await fork(source, 0)
      expect((await app.pool.query('select last_value::int as tries from conflicts')).rows).toEqual([{ tries: 3 }])
      expect(await readFile(join(clone(id), 'README.md'), 'utf8')).toBe('hello\n')
      await say(id, doing('forked-after-conflicts'))
      await isDone('forked-after-conflicts')
    } finally {
      await app.pool.query('drop function conflict_once cascade; drop sequence conflicts')
    }
  })

  test('a fork of a session that changes meanwhile leaves no files behind when it is refused', async () => {
    const id = await rested()
    await chmod(join(clone(id), 'README.md'), 0o000)
    const before = await readdir(join(app.home, 'clones'))
    const answer = await app.post(`/sessions/${id}/fork`, { message_index: 0 })
    // Root reads every file.
    expect(answer.status).toBe(process.getuid?.() === 0 ? 201 : 422)
    if (answer.status === 422) expect(await readdir(join(app.home, 'clones'))).toEqual(before)
  })

  test.each(['fork', 'refresh'])('%s racing a delete answers 2xx or 404', async (operation) => {
    const ids = await Promise.all(Array.from({ length: 3 }, () => rested()))
    const statuses: number[] = []
    for (const id of ids) {
      const body = operation === 'fork' ? { message_index: 0 } : {}
      const racing = Array.from({ length: 4 }, () => app.post(`/sessions/${id}/${operation}`, body))
      const answers = await Promise.all([app.delete(`/sessions/${id}`), ...racing])
      statuses.push(...answers.map(({ status }) => status))
    }
    expect(statuses.filter((status) => ![200, 201, 204, 404].includes(status))).toEqual([])
  })
})
