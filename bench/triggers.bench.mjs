import { sql } from 'kysely'
import { sampleRepository } from '../packages/server/dist/app/sample-repository.js'
import { receiveMessage } from '../packages/server/dist/domain/chat/receive-message.js'
import { fireDueSchedules } from '../packages/server/dist/domain/fires/fire-due-schedules.js'
import { createTrigger } from '../packages/server/dist/domain/triggers/change-trigger.js'
import { queues } from '../packages/server/dist/platform/jobs/queues.js'
import { deliverEachMillisecond, openChat } from './support/chat-webhooks.mjs'
import { benchKey, startBenchHost } from './support/host.mjs'
import { median } from './support/sessions.mjs'

/**
 * Three questions: what an idle look at the schedules costs with 10,000 of them against 10, what an invoke costs against a
 * plain create, and whether 1,000 events in a second on 500 triggers each fire exactly once. Nothing runs the sessions.
 */
const targets = { idle: 1.5, invoke: 1.5, p99Ms: 1000 }

const { chat, environment } = await openChat()
const { host, stop } = await startBenchHost({ ...environment, ROLE: 'web' })
const { app } = host
try {
  await sampleRepository(app.home)
  await idleTick()
  await invokeAgainstCreate()
  await manyEvents()
} finally {
  await stop()
  await chat.close()
}

async function newTrigger(condition_type, configuration) {
  const { trigger } = await createTrigger(app, {
    name: 'Bench',
    agent_root_name: 'sample',
    prompt_template: 'say {{text}}',
    trigger_conditions_attributes: [{ condition_type, configuration }],
  })
  return trigger
}

async function idleTick() {
  const daily = { unit: 'days', interval: 1, time: '00:00', timezone: 'UTC' }
  for (let n = 0; n < 10; n += 1) await newTrigger('schedule', daily)
  await app.db
    .updateTable('trigger_conditions')
    .set({ next_run_at: new Date('2040-01-01T00:00:00Z') })
    .execute()
  const few = await ticks()
  await sql`
    with made as (
      insert into triggers (name, agent_root_name, prompt_template)
      select 'Bench ' || n, 'sample', 'say hello'
      from generate_series(1, 9990) n
      returning id
    )
    insert into trigger_conditions (trigger_id, condition_type, configuration, is_one_shot, next_run_at)
    select id, 'schedule', ${JSON.stringify(daily)}::jsonb, false, '2040-01-01'
    from made
  `.execute(app.db)
  const many = await ticks()
  report('an idle look at 10,000 schedules', many / few, `that at 10 (${many.toFixed(2)} ms)`, targets.idle)
}

/** The median of the time of a look, in ms. */
async function ticks() {
  const signal = new AbortController().signal
  const times = []
  for (let n = 0; n < 300; n += 1) times.push(await time(() => fireDueSchedules(app, signal)))
  return median(times)
}

async function invokeAgainstCreate() {
  const { id } = await newTrigger('schedule', { scheduled_at: '2040-01-01T00:00' })
  const create = () => post('/sessions', { agent_root: 'sample', prompt: 'say hello', title: 'Bench' })
  const invoke = () => post(`/triggers/${id}/invoke`, { variables: { text: 'hello' } })
  for (let n = 0; n < 10; n += 1) await Promise.all([create(), invoke()])
  const [plain, invoked] = [[], []]
  for (let n = 0; n < 100; n += 1) {
    plain.push(await time(create))
    invoked.push(await time(invoke))
  }
  const ratio = median(invoked) / median(plain)
  report('an invoke', ratio, `a plain create (${median(invoked).toFixed(1)} ms)`, targets.invoke)
}

async function post(path, body) {
  const answer = await fetch(`${host.web.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'x-api-key': benchKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  await answer.json()
}

async function manyEvents() {
  const channels = Array.from({ length: 500 }, (_, n) => `C${String(n).padStart(3, '0')}`)
  for (const [n, id] of channels.entries()) {
    chat.addChannel(id, `channel-${n}`)
    await newTrigger('chat', { channel_id: id })
  }
  await app.db.updateTable('triggers').set({ coalesce_window_seconds: 0 }).execute()
  const bodies = Array.from({ length: 1000 }, (_, n) => {
    const channel = channels[n % channels.length]
    const ts = chat.post(channel, { user: 'U1', text: `message ${n}` })
    return JSON.stringify(chat.eventOf(channel, ts, { eventId: `Ev${n}` }))
  })
  // No trigger waits for the first ones.
  const first = bodies.map((body, n) => body.replaceAll(/C\d{3}/g, 'CNONE').replace(`"Ev${n}"`, `"EvFirst${n}"`))
  const waits = await deliverEachMillisecond(host, { first, bodies })
  const p99 = waits.sort((one, other) => one - other)[Math.ceil(waits.length * 0.99) - 1]
  const { rows: jobs } = await sql`
    select payload
    from graphile_worker._private_jobs as jobs
    join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
    where tasks.identifier = ${receiveMessage.job.name}
      and payload ->> 'channel' <> 'CNONE'
  `.execute(app.db)
  // Two hosts that each run every job, as if each job ran twice, with the workers of the queue.
  const seconds = (await time(() => Promise.all([runAll(jobs), runAll(jobs)]))) / 1000
  const { fired } = await app.db
    .selectFrom('trigger_fires')
    .select(({ fn }) => fn.count('id').as('fired'))
    .where('fired_by', '=', 'chat')
    .where('outcome', '=', 'spawned')
    .executeTakeFirstOrThrow()
  const figures = `accepted with a p99 of ${Math.round(p99)} ms (target: at most ${targets.p99Ms}), fired in ${seconds.toFixed(1)} s`
  console.log(
    `1,000 events in a second on 500 triggers, each job run twice: ${fired} sessions (target: 1000), ${figures}`,
  )
  if (Number(fired) !== 1000 || p99 > targets.p99Ms) process.exitCode = 1
}

async function runAll(jobs) {
  const waiting = [...jobs]
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) await receiveMessage.perform(job.payload, app)
  }
  await Promise.all(Array.from({ length: queues.pollers.concurrency }, work))
}

async function time(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function report(what, ratio, against, target) {
  console.log(`${what}: ${ratio.toFixed(2)} of ${against} (target: at most ${target})`)
  if (ratio > target) process.exitCode = 1
}
