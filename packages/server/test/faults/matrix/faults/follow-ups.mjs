import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

const round = (kills) => async (context) => {
  const { cluster, seed, random, isShort } = context
  const count = isShort ? 25 : 500
  const tag = `${kills > 0 ? 'R18' : 'R17'}.${seed}`
  let host = await cluster.up()
  let recoverySeconds
  const killAndRestart = async () => {
    const turns = await cluster.liveTurns()
    await host.kill()
    host = await cluster.start()
    recoverySeconds = Math.max(recoverySeconds ?? 0, await recovery(cluster, turns, host.bootedAt))
  }
  // The gate keeps the first turn open until all follow-ups are sent, so they are queued unless a kill ends the turn.
  const gate = join(cluster.folder, `${tag}.gate`)
  const id = await createSession(
    cluster,
    host,
    cluster.effects.prompt(tag, 0, `run until [ -e ${gate} ]; do sleep 0.1; done`),
  )
  await agentsUp(cluster, [id])

  const sent = sendAll(cluster, host, id, numbers(count), tag)
  if (kills > 0) {
    await wait(random.between(0, isShort ? 150 : 1500))
    await killAndRestart()
  }
  const first = await sent
  // A caller without an answer checks whether its message was accepted and repeats it if not.
  const again = await sendAll(cluster, host, id, await missing(cluster, id, count), tag)
  const answers = [...first, ...again]
  await writeFile(gate, '')

  for (let kill = 1; kill < kills; kill += 1) {
    const goal = Math.floor((count * kill) / kills)
    await until(
      'the session works through its queue',
      async () => begunBy(cluster, tag),
      (begun) => begun >= goal,
      400_000,
    )
    await wait(random.between(0, 400))
    await killAndRestart()
  }
  await settled(cluster, [id], 600_000)
  const accepted = await acceptedOrder(cluster, id)
  const verdict = judge(
    cluster.effects,
    [{ tag, number: 0 }, ...accepted.map((number) => ({ tag, number }))],
    cluster.homes(),
  )
  const acceptMs = answers.filter(({ answer }) => answer).map(({ ms }) => ms)
  return {
    ...verdict,
    recoverySeconds,
    figures: { 'p99 accept (s)': percentile(acceptMs, 0.99) / 1000 },
    problems: [
      accepted.length !== count && `${accepted.length} of ${count} were accepted`,
      answers.some(({ fault }) => fault) && `a fault: ${answers.find(({ fault }) => fault).fault}`,
      answers.some(({ refusal }) => refusal) && 'a follow-up was rejected',
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

function sendAll(cluster, host, id, wanted, tag) {
  return Promise.all(
    wanted.map(async (number) => {
      const started = performance.now()
      const outcome = await host.command('followUp', { id, prompt: cluster.effects.prompt(tag, number) })
      return { ...outcome, number, ms: performance.now() - started }
    }),
  )
}

/**
 * Messages are accepted in the order of their ids, which are assigned under the session's lock. A follow-up to a session
 * at rest becomes a turn immediately, so all messages before it were turns by then.
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

async function missing(cluster, id, count) {
  const present = new Set(await acceptedOrder(cluster, id))
  return numbers(count).filter((number) => !present.has(number))
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
