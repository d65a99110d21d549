import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { atWork, createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

const round = (kills) => async (context) => {
  const { yard, seed, random, isShort } = context
  const count = isShort ? 25 : 500
  const tag = `${kills > 0 ? 'R18' : 'R17'}.${seed}`
  let host = await yard.up()
  let recoverySeconds
  const dieAndReturn = async () => {
    const turns = await yard.liveTurns()
    await host.kill()
    host = await yard.start()
    recoverySeconds = Math.max(recoverySeconds ?? 0, await recovery(yard, turns, host.bootedAt))
  }
  // A turn is underway until all have spoken, so that they are queued, unless a kill ends it.
  const gate = join(yard.folder, `${tag}.gate`)
  const id = await createSession(
    yard,
    host,
    yard.effects.prompt(tag, 0, `run until [ -e ${gate} ]; do sleep 0.1; done`),
  )
  await atWork(yard, [id])

  const sent = sendAll(yard, host, id, numbers(count), tag)
  if (kills > 0) {
    await wait(random.between(0, isShort ? 150 : 1500))
    await dieAndReturn()
  }
  const first = await sent
  // Whoever got no answer looks whether it was accepted, and says it again if not.
  const again = await sendAll(yard, host, id, await missing(yard, id, count), tag)
  const answers = [...first, ...again]
  await writeFile(gate, '')

  for (let kill = 1; kill < kills; kill += 1) {
    const goal = Math.floor((count * kill) / kills)
    await until(
      'it works through its queue',
      async () => begunBy(yard, tag),
      (begun) => begun >= goal,
      400_000,
    )
    await wait(random.between(0, 400))
    await dieAndReturn()
  }
  await settled(yard, [id], 600_000)
  const accepted = await acceptedOrder(yard, id)
  const verdict = judge(
    yard.effects,
    [{ tag, number: 0 }, ...accepted.map((number) => ({ tag, number }))],
    yard.homes(),
  )
  const acceptMs = answers.filter(({ answer }) => answer).map(({ ms }) => ms)
  return {
    ...verdict,
    recoverySeconds,
    figures: { 'p99 accept (s)': percentile(acceptMs, 0.99) / 1000 },
    problems: [
      accepted.length !== count && `${accepted.length} of ${count} were accepted`,
      answers.some(({ fault }) => fault) && `a fault: ${answers.find(({ fault }) => fault).fault}`,
      answers.some(({ refusal }) => refusal) && 'a follow-up was refused',
      first.some(({ answer, number }) => answer && !accepted.includes(number)) && 'an answered follow-up has no row',
    ].filter(Boolean),
  }
}

export const followUps = {
  name: 'R17',
  what: '500 concurrent follow-ups to one session',
  seeds: 20,
  limitSeconds: 700,
  limits: { 'p99 accept (s)': 2 },
  round: round(0),
}

export const followUpsAndKills = {
  name: 'R18',
  what: '500 concurrent follow-ups and three kill -9',
  seeds: 20,
  limitSeconds: 800,
  recoveryLimitSeconds: 10,
  round: round(3),
}

function sendAll(yard, host, id, wanted, tag) {
  return Promise.all(
    wanted.map(async (number) => {
      const started = performance.now()
      const outcome = await host.order('followUp', { id, prompt: yard.effects.prompt(tag, number) })
      return { ...outcome, number, ms: performance.now() - started }
    }),
  )
}

/**
 * Messages were accepted in the order of their ids, which are given under the session's lock. One that found the session
 * at rest is a turn at once, so whatever was accepted before it had become a turn by then.
 */
async function acceptedOrder({ pool }, id) {
  const { rows } = await pool.query(
    `select m.id, t.sequence, coalesce(m.content, t.prompt) as content
     from turns t full join enqueued_messages m on m.id = t.message_id
     where coalesce(t.session_id, m.session_id) = $1 and (m.id is not null or t.source = 'follow_up')
     order by m.id nulls first, t.sequence`,
    [id],
  )
  const order = rows.filter((row) => row.id !== null)
  for (const turn of rows.filter((row) => row.id === null)) {
    const place = order.findIndex(({ sequence }) => sequence === null || sequence > turn.sequence)
    order.splice(place === -1 ? order.length : place, 0, turn)
  }
  return order.map(({ content }) => Number(/begin (\d+)/.exec(content)[1]))
}

async function missing(yard, id, count) {
  const there = new Set(await acceptedOrder(yard, id))
  return numbers(count).filter((number) => !there.has(number))
}

function begunBy({ effects }, tag) {
  return effects.lines().filter((line) => line.tag === tag && line.mark === 'begin').length
}

function numbers(count) {
  return Array.from({ length: count }, (_, index) => index + 1)
}

function percentile(values, share) {
  return values.sort((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? 0
}
