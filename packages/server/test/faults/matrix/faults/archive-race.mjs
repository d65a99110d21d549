import { setTimeout as wait } from 'node:timers/promises'
import { createSession } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** Sessions of one round: 20 rounds make the 200 races of the reliability target. */
const sessionCount = 10

export const archiveRace = {
  name: 'R20',
  what: 'archive and delete against follow-ups, while running and queued',
  seeds: 20,
  limitSeconds: 150,
  recoveryLimitSeconds: 15,
  round: async ({ cluster, seed, random, isShort }) => {
    const host = await cluster.up()
    const indexes = Array.from({ length: isShort ? 4 : sessionCount }, (_, index) => index)
    const startedAt = performance.now()
    const races = await Promise.all(indexes.map((index) => race(cluster, host, random, `R20.${seed}.${index}`)))
    const archived = races.filter(({ kind, archives }) => kind !== 'delete' && archives.some(({ answer }) => answer))
    const ids = races.map(({ id }) => id)
    const left = async () => {
      const { rows } = await cluster.pool.query(
        `select s.id from sessions s where s.id = any($1) and exists (
           select from turns t where t.session_id = s.id and t.state <> 'ended')`,
        [ids],
      )
      const processes = await cluster.processesOf(races.flatMap(({ markers }) => markers))
      return { turns: rows.length, processes: processes.length }
    }
    await until('no turn and no process is left', left, ({ turns, processes }) => turns + processes === 0)
    const recoverySeconds = (performance.now() - startedAt) / 1000
    const { rows: pending } = await cluster.pool.query(
      `select m.session_id from enqueued_messages m join sessions s on s.id = m.session_id
       where m.session_id = any($1) and m.status = 'pending' and s.status = 'archived'`,
      [ids],
    )
    const { rows: sessions } = await cluster.pool.query('select id::int, status from sessions where id = any($1)', [
      ids,
    ])
    const statusOf = new Map(sessions.map(({ id, status }) => [id, status]))
    const accepted = races.flatMap(({ tag }) => [{ tag, number: 0 }])
    const { doubled, overlaps } = judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true })
    return {
      doubled,
      overlaps,
      recoverySeconds,
      problems: [
        ...new Set([
          ...races.flatMap(({ answers }) => answers.flatMap(({ fault }) => (fault ? [`a fault: ${fault}`] : []))),
          pending.length > 0 && `${pending.length} messages are pending in archived sessions`,
          archived.some(({ id }) => statusOf.get(id) !== 'archived') &&
            'archiving succeeded but the session is not archived',
          races.some(
            ({ kind, archives }) => kind === 'archive' && archives.filter(({ answer }) => answer).length > 1,
          ) && 'two callers archived the same session',
          races.some(({ kind, id }) => kind === 'delete' && statusOf.has(id)) && 'a deleted session still exists',
          ...races.flatMap(({ problems }) => problems),
        ]),
      ].filter(Boolean),
    }
  },
}

async function race(cluster, host, random, tag) {
  const kind = random.pick(['archive', 'force', 'delete'])
  const id = await createSession(cluster, host, cluster.effects.prompt(tag, 0, `sleep ${random.between(1, 20) / 10}`))
  await wait(random.between(0, 1500))
  const markers = (await cluster.liveTurns())
    .filter(({ session_id }) => session_id === id)
    .map(({ run_marker }) => run_marker)
  const sendFollowUp = (number) => host.command('followUp', { id, prompt: cluster.effects.prompt(tag, number) })
  const remove = () =>
    kind === 'delete' ? host.delete(`/api/v1/sessions/${id}`) : host.command('archive', { id, force: kind === 'force' })
  const earlier = [sendFollowUp(1), sendFollowUp(2)]
  const archives = [remove(), remove()]
  const later = [sendFollowUp(3), sendFollowUp(4)]
  const answers = await Promise.all([...earlier, ...archives, ...later])
  const problems = []
  // Archiving was rejected because of queued messages: archive by force.
  if (kind === 'archive' && !(await Promise.all(archives)).some(({ answer }) => answer)) {
    const { answer, refusal } = await host.command('archive', { id, force: true })
    if (!answer) problems.push(`archiving by force was rejected: ${refusal}`)
  }
  return { kind, id, tag, markers, answers, archives: await Promise.all(archives), problems }
}
