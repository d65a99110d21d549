import { setTimeout as wait } from 'node:timers/promises'
import { recordReceipt, renewLease } from '../../../../dist/domain/inbox/lease-store.js'
import { openDatabase } from '../../../../dist/platform/db/database.js'
import { atWork, createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

export const takeOver = {
  name: 'R2',
  what: 'kill -9 of one of two or three servers, the others take over',
  seeds: 20,
  limitSeconds: 150,
  recoveryLimitSeconds: 30,
  limits: { 'old agents dead after restart (s)': 5 },
  round: async ({ yard, seed, random, isShort }) => {
    const names = seed % 2 ? ['a', 'b'] : ['a', 'b', 'c']
    const hosts = []
    for (const name of names) hosts.push(await yard.up(name))
    if (seed % 2) await yard.stop('c')
    const accepted = []
    const ids = []
    for (let index = 0; index < (isShort ? 2 : 4); index += 1) {
      const tag = `R2.${seed}.${index}`
      // Longer than the round: nothing but being taken over can bring these to rest.
      ids.push(await createSession(yard, random.pick(hosts), yard.effects.prompt(tag, 1, 'sleep 300')))
      accepted.push({ tag, number: 1 })
    }
    const turns = await atWork(yard, ids)
    await wait(random.between(0, 2000))
    const holder = random.pick(turns).lease_owner
    const victim = hosts.find(({ hostId }) => hostId === holder)
    const [taken, others] = [true, false].map((isTaken) =>
      turns.filter(({ lease_owner }) => (lease_owner === victim.hostId) === isTaken),
    )
    const orphans = await yard.processesOf(taken.map(({ run_marker }) => run_marker))
    const killedAt = performance.now()
    await victim.kill()
    const recoverySeconds = await recovery(yard, taken, killedAt)
    const problems = [...(await writesOfOldHolder(yard, taken, victim)), ...(await disturbed(yard, others))]

    const [, dead] = await Promise.all([
      yard.start(names[hosts.indexOf(victim)]),
      until(
        'the agents it left are dead',
        () => yard.stillRunning(orphans),
        (left) => left.length === 0,
      ),
    ])
    const survivor = hosts.find((host) => host !== victim)
    for (const { session_id } of others) await survivor.order('pause', { id: session_id })
    await settled(yard, ids)
    // Those that were paused were cut short by a person; the others must have been told to go on.
    const paused = new Set(others.map(({ session_id }) => ids.indexOf(session_id)))
    const verdicts = [true, false].map((isPaused) =>
      judge(
        yard.effects,
        accepted.filter((_, index) => paused.has(index) === isPaused),
        yard.homes(),
        { mayBeCut: isPaused },
      ),
    )
    const sum = (name) => verdicts.reduce((total, verdict) => total + verdict[name], 0)
    return {
      lost: sum('lost'),
      doubled: sum('doubled'),
      overlaps: sum('overlaps'),
      recoverySeconds,
      problems,
      figures: { 'old agents dead after restart (s)': dead.seconds },
    }
  },
}

/** What the dead host would have written, had it only been slow: none of it may touch a row. */
async function writesOfOldHolder({ pool }, turns, { hostId }) {
  const db = openDatabase(pool)
  const problems = []
  for (const { id, run_marker: marker } of turns) {
    const hold = { turnId: id, owner: hostId, marker }
    if (await renewLease(db, hold)) problems.push('the old holder could renew its lease')
    if (await recordReceipt(db, hold)) problems.push('the old holder could write a receipt')
  }
  return problems
}

/** Turns of the host that lives are none of anybody's business. */
async function disturbed(yard, turns) {
  const markers = new Set((await yard.liveTurns()).map(({ run_marker }) => run_marker))
  return turns.every(({ run_marker }) => markers.has(run_marker)) ? [] : ['a turn of the living host was disturbed']
}
