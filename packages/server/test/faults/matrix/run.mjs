// Runs the matrix: `run.mjs [fault ...] [--seeds N] [--short]`. Ends in a table, and not with 0 when a figure is missed.
import { parseArgs } from 'node:util'
import { openYard } from './cluster.mjs'
import { faults } from './matrix.mjs'
import { seededRandom } from './random.mjs'
import { table } from './table.mjs'
import { within } from './until.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seeds: { type: 'string' }, short: { type: 'boolean', default: false } },
})
const names = faults.map(({ name }) => name)
const unknown = positionals.filter((name) => !names.includes(name.toUpperCase()))
const seeds = values.seeds === undefined ? undefined : Number(values.seeds)
if (unknown.length > 0 || (seeds !== undefined && !(Number.isInteger(seeds) && seeds > 0))) {
  say(unknown.length > 0 ? `No fault is named ${unknown.join(', ')}: ${names.join(', ')}.` : '--seeds takes a number.')
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
let sharedYard
for (const fault of faults.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  if (!stopping.signal.aborted) rows.push(await runFault(fault))
}
await close(sharedYard)
say(`\n${table(rows)}`)
process.exit(rows.every(({ hasPassed }) => hasPassed) && !stopping.signal.aborted ? 0 : 1)

/**
 * Every seed in the same yard, as long as the rounds go well: what one leaves behind must not harm the next. Short rounds
 * share one over all faults, which saves making a database for each.
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
  let yard = sharedYard
  for (let seed = 1; seed <= count && !stopping.signal.aborted; seed += 1) {
    const started = performance.now()
    try {
      yard ??= await openYard()
      const context = { yard, seed, random: seededRandom(seed), isShort: values.short }
      const round = await within(fault.limitSeconds * 1000, Promise.race([fault.round(context), interruption]))
      gather(row, fault, seed, round)
    } catch (error) {
      if (!stopping.signal.aborted) row.problems.push(`seed ${seed}: ${error.message}`)
      say(`  ${error.stack}\n  ${(await yard?.lastWords())?.join('\n  ') ?? ''}`)
      await close(yard)
      yard = undefined
    }
    row.seeds += 1
    say(`${fault.name} seed ${seed}: ${((performance.now() - started) / 1000).toFixed(1)} s ${told(row, seed)}`)
  }
  if (values.short) {
    sharedYard = yard
    await yard?.rest()
  } else await close(yard)
  return { ...row, hasPassed: row.problems.length === 0 && row.seeds > 0 }
}

function gather(row, fault, seed, round) {
  const { lost = 0, doubled = 0, overlaps = 0, disordered = 0, recoverySeconds, figures = {}, problems = [] } = round
  row.lost += lost
  row.doubled += doubled
  row.overlaps += overlaps
  if (recoverySeconds !== undefined) row.recoverySeconds = Math.max(row.recoverySeconds ?? 0, recoverySeconds)
  for (const [name, figure] of Object.entries(figures)) row.figures[name] = Math.max(row.figures[name] ?? 0, figure)
  const missed = [
    lost > 0 && `${lost} lost`,
    doubled > 0 && `${doubled} doubled`,
    overlaps > 0 && `${overlaps} at the same time as another turn of the session`,
    disordered > 0 && `${disordered} sessions out of order`,
    ...problems,
    // A short round runs beside other tests: what happens is judged, not how fast.
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

function told({ problems }, seed) {
  const own = problems.filter((problem) => problem.startsWith(`seed ${seed}:`))
  return own.length === 0 ? 'ok' : `MISSED ${own.join('; ')}`
}

async function close(yard) {
  await yard?.close().catch((error) => say(`  closing: ${error.message}`))
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
