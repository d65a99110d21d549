import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** After this long a turn that a spent budget should hold has not started. */
const watchedMs = 6000

/** The turn that crosses the limit, its continuation and a message behind it: none may be lost, and none may run on. */
export const killAtBudget = {
  name: 'R73',
  what: 'kill -9 between the call that uses up a budget and the end of its turn, restart',
  seeds: 20,
  limitSeconds: 150,
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up('spending')
    const tag = `R73.${seed}`
    const prompt = (number, ...between) => cluster.effects.prompt(tag, number, ...between)
    const id = await createSession(cluster, host, 'say ready')
    await settled(cluster, [id])
    const budget = await made(host, { scope: 'session', session_id: id, limit_tokens: 100 })
    await host.command('followUp', { id, prompt: `usage 150 0\n${prompt(1, 'sleep 120')}` })
    await until('the agent works', async () => has(cluster, tag, 1), Boolean)
    const { answer: queued } = await host.command('followUp', { id, prompt: prompt(2) })
    await wait(random.between(0, 600))
    const { rows: atKill } = await cluster.pool.query(
      'select (select count(*) from turns where session_id = $1 and withdrawn_by is not null)::int as ended',
      [id],
    )
    await host.kill()
    const next = await cluster.start('spending')
    await heldByBudget(cluster, [id])
    await wait(watchedMs)
    const live = (await cluster.liveTurns()).filter(({ session_id }) => session_id === id)
    const hasRunOn = live.length > 0 || has(cluster, tag, 2)
    await raised(next, budget)
    await until('the message behind it is delivered', async () => has(cluster, tag, 2), Boolean, 90_000)
    await settled(cluster, [id])
    const accepted = [{ tag, number: 1 }, ...(queued ? [{ tag, number: 2 }] : [])]
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      figures: { 'turns that the budget had ended at the kill': atKill[0].ended },
      problems: hasRunOn ? ['a turn ran although the budget was used up'] : [],
    }
  },
}

/** Sessions on two hosts use up one budget together: people are told once, and every turn goes on after the limit is raised. */
export const budgetOnTwoHosts = {
  name: 'R74',
  what: 'two hosts use up the budget of the service at the same time',
  seeds: 20,
  limitSeconds: 150,
  round: async ({ cluster, seed, random, isShort }) => {
    const hosts = [await cluster.up('one'), await cluster.up('other')]
    const budget = await made(hosts[0], { scope: 'service', limit_tokens: 1_000_000_000 })
    const spent = await spentOf(hosts[0], budget)
    const sessionCount = isShort ? 4 : 8
    // The agents wait for each other, so that their calls are recorded at the same time.
    const startAt = Math.floor(Date.now() / 1000) + 5 + sessionCount
    const together = `run sleep $((${startAt} - $(date +%s)))`
    await limited(hosts[0], budget, spent + 60 * sessionCount - 30)
    const accepted = []
    const ids = []
    for (let index = 0; index < sessionCount; index += 1) {
      const tag = `R74.${seed}.${index}`
      const work = cluster.effects.prompt(tag, 1, 'sleep 120')
      ids.push(await createSession(cluster, hosts[index % 2], `${together}\nusage 60 0\n${work}`))
      accepted.push({ tag, number: 1 })
      await wait(random.between(0, 50))
    }
    const { seconds } = await heldByBudget(cluster, ids)
    const { rows: told } = await cluster.pool.query(
      `select notification_type as type, count(*)::int as count from notifications
       where marker like 'budget ' || $1 || ' %' group by 1`,
      [budget],
    )
    await wait(watchedMs)
    const live = (await cluster.liveTurns()).filter(({ session_id }) => ids.includes(session_id))
    await raised(hosts[1], budget)
    await settled(cluster, ids)
    const exhausted = told.find(({ type }) => type === 'budget_exhausted')?.count ?? 0
    const repeated = told.filter(({ count }) => count > 1).length
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      figures: { 'all turns held after (s)': seconds },
      problems: [
        exhausted !== 1 && `people were told ${exhausted} times that the budget is used up`,
        repeated > 0 && 'people were told something twice',
        live.length > 0 && `${live.length} turns ran although the budget was used up`,
      ].filter(Boolean),
    }
  },
}

const forgedCalls = 300
const forgedTokens = 9_000_000

/** Far more than an agent can use in the time of a round, and less than the forged calls add up to. */
const limitOfForgers = 1_000_000_000

/** The forger gets no further than the pace of a busy agent: the budget of the service stays open to the others. */
export const killWhileForging = {
  name: 'R69',
  what: 'kill -9 while the calls are read that an agent forges, restart; another session works under the same budget',
  seeds: 10,
  limitSeconds: 150,
  limits: { 'forged tokens counted (millions)': limitOfForgers / 1e6 },
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up('forged')
    const budget = await made(host, { scope: 'service', limit_tokens: limitOfForgers * 10 })
    const spentBefore = await spentOf(host, budget)
    await limited(host, budget, spentBefore + limitOfForgers)
    const tags = { forger: `R69.${seed}.forger`, other: `R69.${seed}.other` }
    const lines = Array.from({ length: forgedCalls }, () => `usage ${forgedTokens} 0`)
    const forger = await createSession(cluster, host, cluster.effects.prompt(tags.forger, 1, ...lines, 'sleep 2'))
    const other = await createSession(cluster, host, cluster.effects.prompt(tags.other, 1, 'sleep 3'))
    await until('the forger works', async () => has(cluster, tags.forger, 1), Boolean)
    await wait(random.between(0, 1500))
    await host.kill()
    const next = await cluster.start('forged')
    await settled(cluster, [forger, other])
    const counted = (await spentOf(next, budget)) - spentBefore
    const { rows: told } = await cluster.pool.query(
      "select count(*)::int as count from notifications where session_id = $1 and marker like 'suspect calls %'",
      [forger],
    )
    return {
      ...judge(
        cluster.effects,
        [tags.forger, tags.other].map((tag) => ({ tag, number: 1 })),
        cluster.homes(),
      ),
      figures: { 'forged tokens counted (millions)': Math.round(counted / 1e6) },
      problems: told[0].count === 1 ? [] : [`people were told ${told[0].count} times about forged calls`],
    }
  },
}

async function spentOf(host, budget) {
  return (await host.get(`/api/v1/budgets/${budget}`)).body.budget.spent_tokens
}

function has(cluster, tag, number) {
  return cluster.effects.lines().some((line) => line.tag === tag && line.number === number && line.mark === 'begin')
}

async function made(host, order) {
  const { status, body } = await host.post('/api/v1/budgets', { period: 'month', ...order })
  if (status !== 201) throw new Error(`making a budget failed: ${status} ${JSON.stringify(body)}`)
  return body.budget.id
}

async function limited(host, id, tokens) {
  const { status, body } = await host.patch(`/api/v1/budgets/${id}`, { limit_tokens: tokens })
  if (status !== 200) throw new Error(`changing a budget failed: ${status} ${JSON.stringify(body)}`)
}

function raised(host, id) {
  return limited(host, id, 2_000_000_000)
}

/** Every session says that its budget is used up, and has a turn that waits for it. */
function heldByBudget({ pool }, ids) {
  const ask = async () =>
    (
      await pool.query(
        `select id from sessions
         where id = any($1)
           and not (status = 'waiting' and coalesce(metadata ->> 'spot_hold_reason', '') = 'budget_exhausted'
             and exists (select from turns where session_id = sessions.id and state = 'queued')
             and not exists (select from turns where session_id = sessions.id and state in ('dispatched', 'executing')))`,
        [ids],
      )
    ).rows
  return until('the budget holds every turn', ask, (rows) => rows.length === 0, 60_000)
}
