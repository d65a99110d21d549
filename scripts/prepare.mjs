import { build, isBuilt } from './build-packages.mjs'
import { oneAtATime } from './file-lock.mjs'
import { install, isInstalled } from './install-dependencies.mjs'
import { Interrupted, Unprepared } from './prepare-error.mjs'
import { repositoryRoot } from './repository-root.mjs'

// Keep in step with "engines" in package.json: fastify and vite need at least this.
const oldestNode = { major: 20, minor: 19 }

/**
 * Makes a checkout ready to run: a fitting Node, dependencies as the lock file says, packages built from the sources as
 * they are. Silent and quick when nothing is stale; ends the process with a sentence when it cannot be done.
 *
 * @param {{ builds?: boolean }} [options]
 */
export async function prepare(options) {
  try {
    await makeReady(options)
  } catch (problem) {
    if (problem instanceof Interrupted) process.exit(problem.exitCode)
    if (!(problem instanceof Unprepared)) throw problem
    console.error(problem.message)
    process.exit(1)
  }
}

/**
 * What `prepare` does, for a caller who wants to go on after a failure: throws `Unprepared`.
 *
 * @param {{ builds?: boolean }} [options]
 */
export async function makeReady({ builds = true } = {}) {
  refuseOldNode()
  if (isInstalled(repositoryRoot) && (!builds || isBuilt(repositoryRoot))) return

  await oneAtATime(`${repositoryRoot}/.cache`, async (recordChild) => {
    // Asked again: whoever held the turn before us may have done the work.
    if (!isInstalled(repositoryRoot)) await install(repositoryRoot, recordChild)
    if (builds && !isBuilt(repositoryRoot)) await build(repositoryRoot, recordChild)
  })
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > oldestNode.major || (major === oldestNode.major && minor >= oldestNode.minor)) return
  throw new Unprepared(
    `Yardmaster needs Node ${oldestNode.major}.${oldestNode.minor} or later; this is Node ${process.versions.node}.`,
  )
}
