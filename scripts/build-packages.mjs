import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { announce } from './announce.mjs'
import { Interrupted, PrepareError } from './prepare-error.mjs'
import { runChild } from './run-child.mjs'

// Each depends only on earlier ones.
const packages = ['packages/contract', 'packages/client', 'packages/server']

/** One checker thread: on two cores it takes as long as four, with half of their memory. */
export const compilerFlags = ['--checkers', '1']

const otherInputs = ['tsconfig.base.json', 'package-lock.json']

/**
 * Whether the last successful build used the current sources. The stamp holds a digest of every input's path, size and
 * modification time, so it also notices deleted files and files that a checkout dated back.
 *
 * @param {string} root
 */
export function isBuilt(root) {
  return hasOutput(root) && readFileSync(stampFile(root), 'utf8') === digestInputs(root)
}

/**
 * @param {string} root
 * @param {(pid: number) => void} onSpawn
 */
export async function build(root, onSpawn) {
  const end = announce('Building')
  // Computed before the compiler runs: a file that changes during the build makes the build stale.
  const digest = digestInputs(root)
  if (!hasOutput(root)) removeBuildRecords(root)
  mkdirSync(`${root}/packages/server/dist`, { recursive: true })
  writeFileSync(stampFile(root), 'unfinished\n')

  const compile = async () => {
    const compiler = `${root}/node_modules/typescript/bin/tsc`
    const args = ['-b', ...packages, ...compilerFlags, ...(process.stderr.isTTY ? ['--pretty'] : [])]
    const { exitCode, output, stoppedBy } = await runChild(process.execPath, [compiler, ...args], {
      cwd: root,
      captures: true,
      onSpawn,
    })
    if (stoppedBy) {
      end('stopped')
      throw new Interrupted(stoppedBy)
    }
    if (exitCode !== 0) {
      end('failed')
      throw new PrepareError(`${output.trimEnd()}\nThe sources do not compile; see the errors above.`)
    }
  }
  await compile()
  for (const name of packages) removeOrphans(`${root}/${name}`)
  // A source that a checkout took away during an earlier build lost its output, and the compiler's record still names it.
  if (packages.some((name) => lacksOutput(`${root}/${name}`))) {
    removeBuildRecords(root)
    await compile()
  }
  writeFileSync(stampFile(root), digest)
  end('done')
}

/** @param {string} root */
function hasOutput(root) {
  return existsSync(stampFile(root)) && packages.every((name) => existsSync(`${root}/${name}/dist`))
}

/** @param {string} root */
function stampFile(root) {
  return `${root}/packages/server/dist/.build-stamp`
}

/**
 * Removes the compiler's build records: it trusts them even when the output was deleted, and emits nothing.
 *
 * @param {string} root
 */
function removeBuildRecords(root) {
  for (const name of packages) rmSync(`${root}/${name}/tsconfig.tsbuildinfo`, { force: true })
}

/** @param {string} root */
function digestInputs(root) {
  const inputs = packages.flatMap((name) => [
    `${name}/package.json`,
    `${name}/tsconfig.json`,
    ...filesIn(`${root}/${name}/src`).map((file) => `${name}/src/${file}`),
  ])
  return digestOf(root, [...otherInputs, ...inputs])
}

/**
 * @param {string} root
 * @param {string[]} inputs
 */
export function digestOf(root, inputs) {
  const digest = createHash('sha256')
  for (const input of inputs) {
    const found = statSync(`${root}/${input}`, { throwIfNoEntry: false })
    digest.update(`${input} ${found?.size} ${found?.mtimeMs}\n`)
  }
  return `${digest.digest('hex')}\n`
}

/**
 * Removes output whose source is gone: imports and folder listings would still find it.
 *
 * @param {string} packageFolder
 */
function removeOrphans(packageFolder) {
  for (const file of filesIn(`${packageFolder}/dist`)) {
    const source = file.replace(/\.(js|js\.map|d\.ts)$/, '.ts')
    if (source !== file && !existsSync(`${packageFolder}/src/${source}`)) rmSync(`${packageFolder}/dist/${file}`)
  }
}

/** @param {string} packageFolder */
function lacksOutput(packageFolder) {
  return filesIn(`${packageFolder}/src`).some(
    (file) => /(?<!\.d)\.ts$/.test(file) && !existsSync(`${packageFolder}/dist/${file.replace(/\.ts$/, '.js')}`),
  )
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
export function filesIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name]
      return filesIn(`${folder}/${entry.name}`).map((file) => `${entry.name}/${file}`)
    })
}
