import { build, isBuilt } from './build-packages.mjs'
import { withFileLock } from './file-lock.mjs'
import { install, isInstalled } from './install-dependencies.mjs'
import { Interrupted, PrepareError } from './prepare-error.mjs'
import { recordCommit } from './record-commit.mjs'
import { repositoryRoot } from './repository-root.mjs'

// Must equal "engines" in package.json: fastify and vite need at least this version.
const oldestNode = { major: 20, minor: 19 }

/**
 * Prepares a checkout: checks the version of Node, installs the locked dependencies and builds the packages. Does nothing
 * when nothing is stale. Prints the reason and exits when it fails.
 *
 * @param {{ builds?: boolean }} [options]
 */
export async function prepare(options) {
  try {
    await makeReady(options)
  } catch (problem) {
    if (problem instanceof Interrupted) process.exit(problem.exitCode)
    if (!(problem instanceof PrepareError)) throw problem
    console.error(problem.message)
    process.exit(1)
  }
}

/**
 * The same as `prepare` for a caller that continues after a failure: throws `PrepareError`.
 *
 * @param {{ builds?: boolean }} [options]
 */
export async function makeReady({ builds = true } = {}) {
  rejectOldNode()
  await bringUpToDate(builds)
  if (builds) recordCommit(repositoryRoot)
}

/** @param {boolean} builds */
async function bringUpToDate(builds) {
  if (isInstalled(repositoryRoot) && (!builds || isBuilt(repositoryRoot))) return

  await withFileLock(`${repositoryRoot}/.cache`, async (recordChild) => {
    // Checked again: the previous holder of the lock may have done the work.
    if (!isInstalled(repositoryRoot)) await install(repositoryRoot, recordChild)
    if (builds && !isBuilt(repositoryRoot)) await build(repositoryRoot, recordChild)
  })
}

function rejectOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > oldestNode.major || (major === oldestNode.major && minor >= oldestNode.minor)) return
  throw new PrepareError(
    `Yardmaster needs Node ${oldestNode.major}.${oldestNode.minor} or later; this is Node ${process.versions.node}.`,
  )
}
