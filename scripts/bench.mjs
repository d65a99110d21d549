// Runs the benchmarks: `npm run bench -- [name ...]`. With `--against <git revision>`, runs each on both revisions.
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { benchAgainst } from './bench-against.mjs'
import { prepare } from './prepare.mjs'
import { Interrupted, PrepareError } from './prepare-error.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'
import { startFlags } from './start-flags.mjs'

const { values, positionals } = readArguments()
const folder = `${repositoryRoot}/bench`
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.mjs'))
  .map((file) => file.slice(0, -'.bench.mjs'.length))
  .sort()
const chosen = names.filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
const unknown = positionals.filter((part) => !names.some((name) => name.includes(part)))
if (unknown.length > 0) {
  console.error(`No benchmark is named ${unknown.join(', ')}: ${names.join(', ')}.`)
  process.exit(1)
}

await prepare()
try {
  if (values.against === undefined) await runAll()
  else await benchAgainst(values.against, chosen)
} catch (problem) {
  if (problem instanceof Interrupted) process.exit(problem.exitCode)
  if (!(problem instanceof PrepareError)) throw problem
  console.error(problem.message)
  process.exitCode = 1
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { against: { type: 'string' } } })
  } catch (problem) {
    console.error(problem instanceof Error ? problem.message : problem)
    process.exit(2)
  }
}

/** Runs one benchmark at a time, each in its own process, so that none affects the next, with the flags of `npm start`. */
async function runAll() {
  const flags = startFlags(repositoryRoot)
  const failed = []
  for (const name of chosen) {
    console.log(`${name}:`)
    const { exitCode, stoppedBy } = await runChild(process.execPath, [...flags, `${folder}/${name}.bench.mjs`], {
      cwd: repositoryRoot,
    })
    if (stoppedBy) throw new Interrupted(stoppedBy)
    if (exitCode !== 0) failed.push(name)
  }
  if (failed.length > 0) {
    console.error(`Failed: ${failed.join(', ')}.`)
    process.exitCode = 1
  }
}
