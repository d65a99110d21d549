import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { announce } from './announce.mjs'
import { Interrupted, PrepareError } from './prepare-error.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'
import { startFlags } from './start-flags.mjs'

const rounds = 2

/**
 * Runs each benchmark alternately on another revision and on this checkout, so that both meet the same load, and prints
 * their figures side by side. It is for reviewers and compares with no target.
 *
 * @param {string} revision
 * @param {string[]} names
 */
export async function benchAgainst(revision, names) {
  const folder = mkdtempSync(`${tmpdir()}/yardmaster-bench-against-`)
  // As root, PostgreSQL runs as another user, who has to reach its binaries.
  chmodSync(folder, 0o755)
  const before = `${folder}/before`
  try {
    await checkOut(revision, before)
    for (const name of names) await compare(name, { revision, before })
  } finally {
    await capture('git', ['worktree', 'remove', '--force', before], repositoryRoot)
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} revision
 * @param {string} folder
 */
async function checkOut(revision, folder) {
  const added = await capture('git', ['worktree', 'add', '--detach', folder, revision], repositoryRoot)
  if (added.exitCode !== 0) throw new PrepareError(`${added.output.trimEnd()}\ngit could not check out ${revision}.`)
  const end = announce(`Installing and building ${revision}`)
  const built = await capture(process.execPath, ['scripts/build.mjs'], folder)
  end(built.exitCode === 0 ? 'done' : 'failed')
  if (built.exitCode !== 0) throw new PrepareError(`${built.output.trimEnd()}\n${revision} could not be built.`)
}

/**
 * @param {string} name
 * @param {{ revision: string, before: string }} base
 */
async function compare(name, { revision, before }) {
  console.log(`${name}:`)
  if (!existsSync(`${before}/bench/${name}.bench.mjs`)) {
    console.log(`  not in ${revision}`)
    return
  }
  const results = { before: /** @type {string[][]} */ ([]), after: /** @type {string[][]} */ ([]) }
  for (let round = 0; round < rounds; round += 1) {
    results.before.push(await runBench(before, name))
    results.after.push(await runBench(repositoryRoot, name))
  }
  for (const line of sideBySide(results)) console.log(`  ${line}`)
  if ([...results.before, ...results.after].some((lines) => lines.length === 0)) process.exitCode = 1
}

/**
 * The result lines of one run. A benchmark that misses its target exits with 1 and has result lines all the same.
 *
 * @param {string} root
 * @param {string} name
 */
async function runBench(root, name) {
  const { exitCode, output } = await capture(process.execPath, [...startFlags(root), `bench/${name}.bench.mjs`], root)
  const lines = output.split('\n').filter((line) => /\d/.test(line) && !/^\s*at /.test(line))
  if (exitCode === 0 || lines.some((line) => line.includes('(target:'))) return lines
  console.log(`${output.trimEnd()}\n  ${name} failed in ${root}`)
  return []
}

/**
 * For each result line: its text as of this checkout and the figure of every run. The wording may differ between the
 * revisions, so lines are matched by their position.
 *
 * @param {{ before: string[][], after: string[][] }} results
 */
export function sideBySide({ before, after }) {
  const count = Math.max(...[...before, ...after].map(({ length }) => length))
  return Array.from({ length: count }, (_, index) => {
    const figures = (/** @type {string[][]} */ runs) => runs.map((lines) => figureIn(lines[index])).join(', ')
    const text = after.map((lines) => lines[index]).find(Boolean) ?? 'only in the other revision'
    return `before ${figures(before)} | after ${figures(after)} | ${text}`
  })
}

/**
 * The first figure with a decimal point is the ratio or the rate; a line without one has its last whole number instead.
 *
 * @param {string | undefined} line
 */
function figureIn(line) {
  const beforeTarget = line?.split('(target:')[0] ?? ''
  return /\d+\.\d+/.exec(beforeTarget)?.[0] ?? beforeTarget.match(/\d+/g)?.at(-1) ?? '-'
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
async function capture(command, args, cwd) {
  const result = await runChild(command, args, { cwd, captures: true })
  if (result.stoppedBy) throw new Interrupted(result.stoppedBy)
  return result
}
