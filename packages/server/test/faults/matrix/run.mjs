// Runs the matrix: `run.mjs [fault ...] [--seeds N] [--short] [--minutes N]`. Prints a table and exits with 1 if a round
// missed a limit. After `--minutes` it starts no other fault and names those that it left out.
import { parseArgs } from 'node:util'
import { openCluster } from './cluster.mjs'
import { faults } from './matrix.mjs'
import { seededRandom } from './random.mjs'
import { table } from './table.mjs'
import { within } from './until.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: 'string' }, short: { type: 'boolean', default: false }, minutes: { type: 'string' } },
})
const names = faults.map(({ name }) => name)
const unknown = positionals.filter((name) => !names.includes(name.toUpperCase()))
const seeds = values.seeds === undefined ? undefined : Number(values.seeds)
const minutes = values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes)
const isCount = (value) => value === undefined || (Number.isInteger(value) && value > 0)
if (unknown.length > 0 || !isCount(seeds) || !(minutes >= 0)) {
  print(
    unknown.length > 0
      ? `Unknown fault ${unknown.join(', ')}: ${names.join(', ')}.`
      : '--seeds takes a positive whole number, and --minutes a number.',
  )
  process.exit(2)
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopping.abort())

const interruption = new Promise((_, reject) => {
  stopping.signal.addEventListener('abort', () => reject(new Error('stopped by a signal')), { once: true })
})
interruption.catch(() => undefined)

const wanted = positionals.map((name) => name.toUpperCase())
const rows = []
const leftOut = []
let sharedCluster
for (const fault of inOrder(faults.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))) {
  if (performance.now() > minutes * 60_000) leftOut.push(fault.name)
  else if (!stopping.signal.aborted) rows.push(await runFault(fault))
}
await close(sharedCluster)
print(`\n${table(rows)}`)
if (leftOut.length > 0) print(`Not run within ${minutes} minutes: ${leftOut.join(' ')}`)
process.exit(rows.every(({ hasPassed }) => hasPassed) && !stopping.signal.aborted ? 0 : 1)

/** With a time limit every run begins at another fault, so that none is always left out. */
function inOrder(chosen) {
  const first = Number.isFinite(minutes) ? Math.floor(Math.random() * chosen.length) : 0
  return [...chosen.slice(first), ...chosen.slice(0, first)]
}

/**
 * Runs all seeds in the same cluster until a round fails, so that leftovers of one round show in the next. Short runs
 * share one cluster across all faults, which saves creating a database for each.
 */
async function runFault(fault) {
  const count = seeds ?? (values.short ? 1 : fault.seeds)
  const row = {
    name: fault.name,
    what: fault.what,
    seeds: 0,
    lost: 0,
    doubled: 0,
    overlaps: 0,
    figures: {},
    problems: [],
  }
  let cluster = sharedCluster
  for (let seed = 1; seed <= count && !stopping.signal.aborted; seed += 1) {
    const started = performance.now()
    try {
      cluster ??= await openCluster()
      await cluster.reset()
      const context = { cluster, seed, random: seededRandom(seed), isShort: values.short }
      const round = await within(fault.limitSeconds * 1000, Promise.race([fault.round(context), interruption]))
      addRound(row, fault, seed, round)
    } catch (error) {
      if (!stopping.signal.aborted) row.problems.push(`seed ${seed}: ${error.message}`)
      print(`  ${error.stack}\n  ${(await cluster?.recentLogs())?.join('\n  ') ?? ''}`)
      await close(cluster)
      cluster = undefined
    }
    row.seeds += 1
    print(`${fault.name} seed ${seed}: ${((performance.now() - started) / 1000).toFixed(1)} s ${outcomeOf(row, seed)}`)
  }
  if (values.short) {
    sharedCluster = cluster
    await cluster?.stopHosts()
  } else await close(cluster)
  return { ...row, hasPassed: row.problems.length === 0 && row.seeds > 0 }
}

function addRound(row, fault, seed, round) {
  const { lost = 0, doubled = 0, overlaps = 0, disordered = 0, recoverySeconds, figures = {}, problems = [] } = round
  row.lost += lost
  row.doubled += doubled
  row.overlaps += overlaps
  if (recoverySeconds !== undefined) row.recoverySeconds = Math.max(row.recoverySeconds ?? 0, recoverySeconds)
  for (const [name, figure] of Object.entries(figures)) row.figures[name] = Math.max(row.figures[name] ?? 0, figure)
  const missed = [
    lost > 0 && `${lost} lost`,
    doubled > 0 && `${doubled} doubled`,
    overlaps > 0 && `${overlaps} overlapped with another turn of their session`,
    disordered > 0 && `${disordered} sessions out of order`,
    ...problems,
    // A short round may run beside other tests, so it has no time limits.
    ...(values.short ? [] : overLimit(fault, round)),
  ].filter(Boolean)
  row.problems.push(...missed.map((problem) => `seed ${seed}: ${problem}`))
}

function overLimit({ recoveryLimitSeconds, limits = {} }, { recoverySeconds, figures = {} }) {
  return [
    recoverySeconds > recoveryLimitSeconds && `recovery took ${recoverySeconds.toFixed(1)} s`,
    ...Object.entries(limits).map(
      ([name, limit]) => figures[name] > limit && `${name} ${figures[name].toFixed(1)}, at most ${limit}`,
    ),
  ]
}

function outcomeOf({ problems }, seed) {
  const own = problems.filter((problem) => problem.startsWith(`seed ${seed}:`))
  return own.length === 0 ? 'ok' : `MISSED ${own.join('; ')}`
}

async function close(cluster) {
  await cluster?.close().catch((error) => print(`  closing: ${error.message}`))
}

function print(text) {
  process.stdout.write(`${text}\n`)
}
