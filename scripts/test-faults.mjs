import { prepare } from './prepare.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'

// The hosts of a round and their databases need this long to stop.
const graceMs = 90_000

await prepare()

const matrix = `${repositoryRoot}/packages/server/test/faults/matrix/run.mjs`
const { exitCode } = await runChild(process.execPath, [matrix, ...process.argv.slice(2)], {
  cwd: repositoryRoot,
  graceMs,
})
process.exitCode = exitCode
