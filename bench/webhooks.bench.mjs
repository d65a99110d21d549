import { randomUUID } from 'node:crypto'
import { sampleRepository } from '../packages/server/dist/app/sample-repository.js'
import { deliver, openChat } from './support/chat-webhooks.mjs'
import { benchKey, startBenchHost } from './support/host.mjs'

/**
 * 1,000 chat webhooks, one in ten a repetition, as fast as 20 connections deliver them, while their triggers fire. Compared with
 * as many requests that write one row and start nothing: lines of a session's log. The trigger follows up one session, so
 * that the figure is about firing and not about cloning.
 */
const events = 900
const repetitions = 100
const connections = 20
const target = 1.5
/** The platforms repeat what is not answered in a few seconds. */
const maxSeconds = 1

const { chat, environment } = await openChat()
chat.addChannel('C1', 'alerts')
const { host, stop } = await startBenchHost(environment)
const { db } = host.app
try {
  const session = await post('/sessions', {
    git_root: await sampleRepository(host.app.home),
    agent_runtime: 'demo',
    prompt: 'sleep 600',
  })
  const { trigger } = await post('/triggers', {
    name: 'Bench',
    agent_root_name: 'any',
    prompt_template: 'say {{text}}',
    reuse_session: true,
    enqueue_messages: true,
    last_session_id: session.session.id,
    coalesce_window_seconds: 0,
    trigger_conditions_attributes: [
      { condition_type: 'chat', configuration: { event_type: 'new_message', channel_id: 'C1' } },
    ],
  })
  const bodies = Array.from({ length: events }, (_, number) => {
    const ts = chat.post('C1', { user: 'U1', text: `message ${number}` })
    return JSON.stringify(chat.eventOf('C1', ts, { eventId: `Ev${randomUUID()}` }))
  })
  const repeated = [...bodies, ...bodies.slice(0, repetitions)].sort(() => Math.random() - 0.5)
  const logPath = `/sessions/${session.session.id}/logs`
  const logs = await deliverAll(repeated, () => post(logPath, { content: 'a line', level: 'info' }))
  const startedAt = performance.now()
  const webhooks = await deliverAll(repeated, (body) => deliver(host, body))
  const acceptedSeconds = (performance.now() - startedAt) / 1000
  const claimed = await untilAllFired(trigger.id)
  const firedSeconds = (performance.now() - startedAt) / 1000
  const ratio = webhooks / logs
  console.log(
    `1,000 webhooks with 10 % repetitions: p99 of the answers is ${(webhooks * 1000).toFixed(0)} ms, ${ratio.toFixed(2)} of that of log lines (targets: under ${maxSeconds} s, at most ${target}); all answered in ${acceptedSeconds.toFixed(1)} s, all fired in ${firedSeconds.toFixed(1)} s, ${claimed} of ${events} events once`,
  )
  if (ratio > target || webhooks > maxSeconds || claimed !== events) process.exitCode = 1
} finally {
  await stop()
  await chat.close()
}

/** The 99th percentile of the time to an answer, in seconds. */
async function deliverAll(bodies, send) {
  const left = [...bodies]
  const waits = []
  const caller = async () => {
    for (let body = left.pop(); body !== undefined; body = left.pop()) {
      const sentAt = performance.now()
      await send(body)
      waits.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: connections }, caller))
  return waits.sort((a, b) => a - b)[Math.ceil(waits.length * 0.99) - 1] / 1000
}

/** A claim is written with the fire it belongs to, and only once for an event. */
async function untilAllFired(triggerId) {
  for (;;) {
    const { count } = await db
      .selectFrom('trigger_events')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('trigger_id', '=', triggerId)
      .executeTakeFirstOrThrow()
    if (Number(count) >= events) return Number(count)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function post(path, body) {
  const response = await fetch(`${host.web.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'x-api-key': benchKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status !== 201) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`)
  return response.json()
}
