import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { announce } from './announce.mjs'
import { Interrupted, Unprepared } from './prepare-error.mjs'
import { runChild } from './run-child.mjs'

// In the order they depend on each other.
const packages = ['packages/contract', 'packages/server']

const otherInputs = ['tsconfig.base.json', 'package-lock.json']

/**
 * Whether the last good build was made from the sources as they are now. The stamp holds a digest of every input's
 * path, size and time: that also notices what was deleted, and what a checkout gave an older date.
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
  // Taken before the compiler reads: what changes meanwhile is then stale, not missed.
  const digest = digestInputs(root)
  if (!hasOutput(root)) forgetEarlierBuilds(root)
  mkdirSync(`${root}/packages/server/dist`, { recursive: true })
  writeFileSync(stampFile(root), 'unfinished\n')

  const compiler = `${root}/node_modules/typescript/bin/tsc`
  const args = ['-b', ...packages, ...(process.stderr.isTTY ? ['--pretty'] : [])]
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
    throw new Unprepared(`${output.trimEnd()}\nThe sources do not compile; the errors are above.`)
  }
  for (const name of packages) removeOrphans(`${root}/${name}`)
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
 * The compiler trusts its own record even after the output was deleted, and would emit nothing.
 *
 * @param {string} root
 */
function forgetEarlierBuilds(root) {
  for (const name of packages) rmSync(`${root}/${name}/tsconfig.tsbuildinfo`, { force: true })
}

/** @param {string} root */
function digestInputs(root) {
  const digest = createHash('sha256')
  const inputs = [...otherInputs]
  for (const name of packages) {
    inputs.push(`${name}/package.json`, `${name}/tsconfig.json`)
    for (const file of filesIn(`${root}/${name}/src`)) inputs.push(`${name}/src/${file}`)
  }
  for (const input of inputs) {
    const found = statSync(`${root}/${input}`, { throwIfNoEntry: false })
    digest.update(`${input} ${found?.size} ${found?.mtimeMs}\n`)
  }
  return `${digest.digest('hex')}\n`
}

/**
 * Output whose source is gone would still be found by whoever imports or lists it.
 *
 * @param {string} packageFolder
 */
function removeOrphans(packageFolder) {
  for (const file of filesIn(`${packageFolder}/dist`)) {
    const source = file.replace(/\.(js|js\.map|d\.ts)$/, '.ts')
    if (source !== file && !existsSync(`${packageFolder}/src/${source}`)) rmSync(`${packageFolder}/dist/${file}`)
  }
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      if (!entry.isDirectory()) return [entry.name]
      return filesIn(`${folder}/${entry.name}`).map((file) => `${entry.name}/${file}`)
    })
}
