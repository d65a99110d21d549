import { setTimeout as wait } from 'node:timers/promises'
import { createSession } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** Sessions of one round: ten rounds make the two hundred races of the sheet. */
const sessionCount = 10

export const putAway = {
  name: 'R20',
  what: 'archive and delete against follow-ups, while running and queued',
  seeds: 20,
  limitSeconds: 150,
  recoveryLimitSeconds: 15,
  round: async ({ yard, seed, random, isShort }) => {
    const host = await yard.up()
    const indexes = Array.from({ length: isShort ? 4 : sessionCount }, (_, index) => index)
    const told = performance.now()
    const races = await Promise.all(indexes.map((index) => race(yard, host, random, `R20.${seed}.${index}`)))
    const archived = races.filter(({ kind, archives }) => kind !== 'delete' && archives.some(({ answer }) => answer))
    const ids = races.map(({ id }) => id)
    const left = async () => {
      const { rows } = await yard.pool.query(
        `select s.id from sessions s where s.id = any($1) and exists (
           select from turns t where t.session_id = s.id and t.state <> 'ended')`,
        [ids],
      )
      const processes = await yard.processesOf(races.flatMap(({ markers }) => markers))
      return { turns: rows.length, processes: processes.length }
    }
    await until('nothing is left at work', left, ({ turns, processes }) => turns + processes === 0)
    const recoverySeconds = (performance.now() - told) / 1000
    const { rows: pending } = await yard.pool.query(
      `select m.session_id from enqueued_messages m join sessions s on s.id = m.session_id
       where m.session_id = any($1) and m.status = 'pending' and s.status = 'archived'`,
      [ids],
    )
    const { rows: sessions } = await yard.pool.query('select id::int, status from sessions where id = any($1)', [ids])
    const statusOf = new Map(sessions.map(({ id, status }) => [id, status]))
    const accepted = races.flatMap(({ tag }) => [{ tag, number: 0 }])
    const { doubled, overlaps } = judge(yard.effects, accepted, yard.homes(), { mayBeCut: true })
    return {
      doubled,
      overlaps,
      recoverySeconds,
      problems: [
        ...new Set([
          ...races.flatMap(({ answers }) => answers.flatMap(({ fault }) => (fault ? [`a fault: ${fault}`] : []))),
          pending.length > 0 && `${pending.length} messages are pending in archived sessions`,
          archived.some(({ id }) => statusOf.get(id) !== 'archived') && 'a session was told archived and is not',
          races.some(
            ({ kind, archives }) => kind === 'archive' && archives.filter(({ answer }) => answer).length > 1,
          ) && 'two callers archived the same session',
          races.some(({ kind, id }) => kind === 'delete' && statusOf.has(id)) && 'a deleted session is still there',
          ...races.flatMap(({ kept }) => kept),
        ]),
      ].filter(Boolean),
    }
  },
}

async function race(yard, host, random, tag) {
  const kind = random.pick(['archive', 'force', 'delete'])
  const id = await createSession(yard, host, yard.effects.prompt(tag, 0, `sleep ${random.between(1, 20) / 10}`))
  await wait(random.between(0, 1500))
  const markers = (await yard.liveTurns())
    .filter(({ session_id }) => session_id === id)
    .map(({ run_marker }) => run_marker)
  const say = (number) => host.order('followUp', { id, prompt: yard.effects.prompt(tag, number) })
  const remove = () =>
    kind === 'delete' ? host.delete(`/api/v1/sessions/${id}`) : host.order('archive', { id, force: kind === 'force' })
  const said = [say(1), say(2)]
  const archives = [remove(), remove()]
  const more = [say(3), say(4)]
  const answers = await Promise.all([...said, ...archives, ...more])
  const kept = []
  // Refused for its queue, a session goes on; in the end somebody insists.
  if (kind === 'archive' && !(await Promise.all(archives)).some(({ answer }) => answer)) {
    const { answer, refusal } = await host.order('archive', { id, force: true })
    if (!answer) kept.push(`archiving by force was refused: ${refusal}`)
  }
  return { kind, id, tag, markers, answers, archives: await Promise.all(archives), kept }
}
