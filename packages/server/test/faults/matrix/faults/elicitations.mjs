import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

export const killAfterAnswer = killedWhileAnswered({
  name: 'R63',
  what: "kill -9 of the server between a person's answer and the agent's poll, restart",
  ask: (setting, host) => askAll(setting, host, 'R63'),
  content: { answer: 'yes' },
  isAnswered: () => true,
})

export const racingAnswers = {
  name: 'R64',
  what: 'ten people answer one question at once, on two hosts',
  seeds: 20,
  limitSeconds: 120,
  round: async (setting) => {
    const { cluster, random } = setting
    const hosts = await cluster.only(2)
    const asked = await askAll(setting, hosts[0], 'R64')
    const problems = []
    await Promise.all(
      asked.map(async ({ id, requestId, tag }) => {
        const statuses = await Promise.all(
          Array.from({ length: 10 }, async (_, person) => {
            await wait(random.between(0, 30))
            return { person, status: await answer(random.pick(hosts), requestId, { answer: `person-${person}` }) }
          }),
        )
        const heard = statuses.filter(({ status }) => status === 200)
        const refused = statuses.filter(({ status }) => status === 422)
        if (heard.length !== 1 || refused.length !== 9)
          problems.push(`${tag}: ${heard.length} people were heard, ${refused.length} refused`)
        await settled(cluster, [id])
        const told = await toldTo(cluster, id)
        if (told !== `person-${heard[0]?.person}`) problems.push(`${tag}: the agent was told ${told}`)
      }),
    )
    const accepted = asked.map(({ tag }) => ({ tag, number: 1 }))
    return { ...judge(cluster.effects, accepted, cluster.homes()), problems }
  },
}

export const killWhileAskingPermission = killedWhileAnswered({
  name: 'R65',
  what: 'kill -9 of the server while agents wait for permissions that people grant, restart',
  ask: async (setting, host) => {
    const begun = await askAll(setting, host, 'R65', { config: { permissions: 'ask' } })
    for (const { requestId } of begun) await answer(host, requestId)
    return questions(setting.cluster, begun, 2)
  },
  isAnswered: (random) => random.pick([true, true, false]),
})

/** A row in which the host dies at some moment around the answers. */
function killedWhileAnswered({ name, what, ask, content, isAnswered }) {
  const round = async (setting) => {
    const { cluster, random } = setting
    const host = await cluster.up()
    const asked = await ask(setting, host)
    const answers = asked.map(async (one) => {
      const isMeant = isAnswered(random)
      await wait(random.between(0, 1500))
      return { ...one, isHeard: isMeant && (await answer(host, one.requestId, content)) === 200 }
    })
    await wait(random.between(0, 1700))
    await host.kill()
    const answered = await Promise.all(answers)
    await cluster.start()
    await settled(cluster, ids(asked))
    return judgeQuestions(cluster, answered)
  }
  return { name, what, seeds: 20, limitSeconds: 150, round }
}

const ids = (asked) => asked.map(({ id }) => id)

/** Starts some sessions and waits for the first question of each. With permissions it is about their first command. */
async function askAll({ cluster, seed, isShort }, host, name, more = {}) {
  const sessions = []
  for (let index = 0; index < (isShort ? 2 : 4); index += 1) {
    const tag = `${name}.${seed}.${index}`
    const prompt = cluster.effects.prompt(tag, 1, ...(more.config ? [] : [`ask ${tag}?`]))
    sessions.push({ tag, id: await createSession(cluster, host, prompt, more) })
  }
  return questions(cluster, sessions, 1)
}

/** Waits until each session has asked so many questions, and the last is pending. */
async function questions(cluster, sessions, count) {
  const ask = async () =>
    (
      await cluster.pool.query(
        `select session_id::int, count(*)::int, max(request_id) filter (where status = 'pending') as request_id
         from elicitations where session_id = any($1) group by session_id`,
        [ids(sessions)],
      )
    ).rows.filter((row) => row.count === count && row.request_id !== null)
  const { answer: found } = await until('every session asks', ask, ({ length }) => length === sessions.length)
  return sessions.map((session) => ({
    ...session,
    requestId: found.find(({ session_id }) => session_id === session.id).request_id,
  }))
}

/** The status; of a host that died, none that means success. */
async function answer(host, requestId, content) {
  const body = { action_type: 'accept', ...(content && { content }) }
  return (await host.patch(`/api/v1/elicitations/${requestId}/respond`, body)).status
}

/**
 * An answer that a person was told is stored. The agent acted on it once, or the session says that it was lost, or a recovery
 * turn follows one that had it. No agent acted without an answer, and nothing is left pending.
 */
async function judgeQuestions(cluster, answered) {
  const accepted = answered.map(({ tag }) => ({ tag, number: 1 }))
  const { rows } = await cluster.pool.query(
    `select request_id, elicitations.status, delivered_at, sessions.metadata
     from elicitations join sessions on sessions.id = elicitations.session_id
     where request_id = any($1)`,
    [answered.map(({ requestId }) => requestId)],
  )
  const ended = cluster.effects.lines().filter(({ mark }) => mark === 'end')
  const problems = answered.flatMap(({ tag, requestId, isHeard }) => {
    const { status, delivered_at: deliveredAt, metadata } = rows.find((row) => row.request_id === requestId) ?? {}
    const times = ended.filter((line) => line.tag === tag).length
    const isReported = metadata?.lost_elicitation?.request_id === requestId
    return [
      status === undefined && `${tag}: the question is gone`,
      status === 'pending' && `${tag}: the question is still pending`,
      isHeard && status !== 'accept' && `${tag}: an answer that was confirmed is ${status}`,
      times > 1 && `${tag}: the agent acted ${times} times`,
      times > 0 && status !== 'accept' && `${tag}: the agent acted on ${status}`,
      times > 0 && deliveredAt === null && `${tag}: the agent acted on an answer that it did not get`,
      times === 0 && deliveredAt === null && !isReported && `${tag}: the session does not say that ${status} was lost`,
      metadata?.blocked_on_elicitation && `${tag}: the session is still blocked`,
    ].filter(Boolean)
  })
  const { rowCount: tokens } = await cluster.pool.query('select from elicitation_tokens where session_id = any($1)', [
    ids(answered),
  ])
  if (tokens > 0) problems.push(`${tokens} tokens outlived their runs`)
  return { ...judge(cluster.effects, accepted, cluster.homes()), problems }
}

/** What the agent of the session wrote about its answer. */
async function toldTo(cluster, id) {
  const { rows } = await cluster.pool.query(
    `select line from transcript_entries where session_id = $1 and line like '%Answer: %' order by sequence limit 1`,
    [id],
  )
  return /Answer: ([\w-]+)/.exec(rows[0]?.line ?? '')?.[1]
}
