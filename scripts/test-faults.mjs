import { prepare } from './prepare.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'

// Time for the hosts of a round to stop, and their databases with them.
const graceMs = 90_000

await prepare()

const matrix = `${repositoryRoot}/packages/server/test/faults/matrix/run.mjs`
const { exitCode } = await runChild(process.execPath, [matrix, ...process.argv.slice(2)], {
  cwd: repositoryRoot,
  graceMs,
})
process.exitCode = exitCode
