import { setTimeout as wait } from 'node:timers/promises'
import { renewLease } from '../../../../dist/domain/inbox/lease-store.js'
import { TurnLost, transactHeld } from '../../../../dist/domain/inbox/transact-held.js'
import { openDatabase } from '../../../../dist/platform/db/database.js'
import { agentsUp, createSession, recovery, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

export const takeOver = {
  name: 'R2',
  what: 'kill -9 of one of two or three servers, the others take over',
  seeds: 20,
  limitSeconds: 150,
  recoveryLimitSeconds: 30,
  limits: { 'old agents dead after restart (s)': 5 },
  round: async ({ cluster, seed, random, isShort }) => {
    const names = seed % 2 ? ['a', 'b'] : ['a', 'b', 'c']
    const hosts = []
    for (const name of names) hosts.push(await cluster.up(name))
    if (seed % 2) await cluster.stop('c')
    const accepted = []
    const ids = []
    for (let index = 0; index < (isShort ? 2 : 4); index += 1) {
      const tag = `R2.${seed}.${index}`
      // Longer than the round, so only a takeover can end these turns.
      ids.push(await createSession(cluster, random.pick(hosts), cluster.effects.prompt(tag, 1, 'sleep 300')))
      accepted.push({ tag, number: 1 })
    }
    const turns = await agentsUp(cluster, ids)
    await wait(random.between(0, 2000))
    const holder = random.pick(turns).lease_owner
    const victim = hosts.find(({ hostId }) => hostId === holder)
    const [taken, others] = [true, false].map((isTaken) =>
      turns.filter(({ lease_owner }) => (lease_owner === victim.hostId) === isTaken),
    )
    const orphans = await cluster.processesOf(taken.map(({ run_marker }) => run_marker))
    const killedAt = performance.now()
    await victim.kill()
    const recoverySeconds = await recovery(cluster, taken, killedAt)
    const problems = [...(await writesOfOldHolder(cluster, taken, victim)), ...(await disturbedTurns(cluster, others))]

    const [, dead] = await Promise.all([
      cluster.start(names[hosts.indexOf(victim)]),
      until(
        'the orphaned agents are dead',
        () => cluster.stillRunning(orphans),
        (left) => left.length === 0,
      ),
    ])
    const survivor = hosts.find((host) => host !== victim)
    for (const { session_id } of others) await survivor.command('pause', { id: session_id })
    await settled(cluster, ids)
    // The paused turns were interrupted by the round; the others must have a recovery prompt.
    const paused = new Set(others.map(({ session_id }) => ids.indexOf(session_id)))
    const verdicts = [true, false].map((isPaused) =>
      judge(
        cluster.effects,
        accepted.filter((_, index) => paused.has(index) === isPaused),
        cluster.homes(),
        { mayBeInterrupted: isPaused },
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

/** Attempts the writes of the old lease holder, as if it were only slow. None may change a row. */
async function writesOfOldHolder({ pool }, turns, { hostId }) {
  const db = openDatabase(pool)
  const problems = []
  for (const { id, run_marker: marker } of turns) {
    const hold = { turnId: id, owner: hostId, marker }
    if (await renewLease(db, hold)) problems.push('the old holder could renew its lease')
    const write = transactHeld(db, hold, async () => problems.push('the old holder could write'))
    await write.catch((error) => error instanceof TurnLost || problems.push(String(error)))
  }
  return problems
}

/** The turns of the other hosts must keep their agents. */
async function disturbedTurns(cluster, turns) {
  const markers = new Set((await cluster.liveTurns()).map(({ run_marker }) => run_marker))
  return turns.every(({ run_marker }) => markers.has(run_marker)) ? [] : ['a turn of a live host was disturbed']
}
