import { compilerFlags } from './build-packages.mjs'
import { checkImports, describeViolation } from './check-imports.mjs'
import { checkTables, describeTableViolation } from './check-tables.mjs'
import { keepsWords } from './check-words.mjs'
import { makeReady, prepare } from './prepare.mjs'
import { exitCodeOf, Interrupted, PrepareError } from './prepare-error.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'
import { buildWeb, isWebBuilt } from './web-build.mjs'
import { keepsSizes } from './web-size.mjs'

const bin = `${repositoryRoot}/node_modules`

// Without web: its packages are built into the files that are served, so that none is needed at run time.
const eachPackageAlone = [
  '--production',
  '--strict',
  '--include',
  'dependencies,unlisted',
  '--workspace',
  '!packages/web',
]

const compiles = (/** @type {string} */ project) => runs('typescript/bin/tsc', ...compilerFlags, '-p', project)

const checks = [
  // The build is the check: with project references the compiler refuses `--noEmit` (TS6310).
  { name: 'types of the sources', passes: builds },
  { name: 'types of the tests', passes: () => compiles('packages/server/tsconfig.test.json') },
  { name: 'types of the pages', passes: () => compiles('packages/web/tsconfig.json') },
  { name: 'types of the scripts', passes: () => compiles('scripts/tsconfig.json') },
  { name: 'lint and format', passes: () => runs('@biomejs/biome/bin/biome', 'check', '.') },
  { name: 'size of the pages', passes: keepsWebSize },
  { name: 'import rules', passes: keepsImportRules },
  { name: 'table owners', passes: keepsTableOwners },
  { name: 'plain words', passes: async () => keepsWords() },
  { name: 'dead code and dependencies', passes: () => runs('knip/bin/knip.js', '--no-progress', '--no-config-hints') },
  // Strict: a dependency of the root, which an installed package would not have, does not count.
  {
    name: 'dependencies of the packages',
    passes: () => runs('knip/bin/knip.js', '--no-progress', ...eachPackageAlone),
  },
]

await prepare({ builds: false })

/** @type {string[]} */
const failed = []
const [first, ...others] = checks
// The types of the tests are read from the build. After it, two at a time: a small machine has two cores.
if (first) await judge(first)
const waiting = others.values()
await Promise.all([judgeAll(), judgeAll()])
if (failed.length > 0) {
  console.error(`npm run check failed: ${failed.join(', ')}.`)
  process.exitCode = 1
}

async function judgeAll() {
  for (const check of waiting) await judge(check)
}

/** @param {{ name: string, passes: () => Promise<boolean> }} check */
async function judge({ name, passes }) {
  const hasPassed = await passes()
  console.log(`${hasPassed ? 'ok    ' : 'FAILED'}  ${name}`)
  if (!hasPassed) failed.push(name)
}

async function builds() {
  try {
    await makeReady()
    return true
  } catch (problem) {
    if (problem instanceof Interrupted) process.exit(problem.exitCode)
    if (!(problem instanceof PrepareError)) throw problem
    console.error(problem.message)
    return false
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function runs(program, ...args) {
  const { exitCode, output, stoppedBy } = await runChild(process.execPath, [`${bin}/${program}`, ...args], {
    cwd: repositoryRoot,
    captures: true,
  })
  if (stoppedBy) process.exit(exitCodeOf(stoppedBy))
  // Printed at once, so that the lines of two checks do not mix.
  if (exitCode !== 0) process.stderr.write(output)
  return exitCode === 0
}

async function keepsWebSize() {
  return (isWebBuilt() || (await buildWeb())) && keepsSizes()
}

async function keepsImportRules() {
  const { violations } = checkImports(repositoryRoot)
  for (const violation of violations) console.error(describeViolation(violation))
  return violations.length === 0
}

async function keepsTableOwners() {
  const violations = checkTables(repositoryRoot)
  for (const violation of violations) console.error(describeTableViolation(violation))
  return violations.length === 0
}
