import { readdirSync } from 'node:fs'
import { prepare } from './prepare.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'

const [wanted = ''] = process.argv.slice(2)
const folder = `${repositoryRoot}/bench`

await prepare()

const names = readdirSync(folder)
  .filter((file) => file.endsWith('.bench.mjs'))
  .map((file) => file.slice(0, -'.bench.mjs'.length))
  .sort()
const chosen = names.filter((name) => name.includes(wanted))
if (chosen.length === 0) {
  console.error(names.length === 0 ? 'There are no benchmarks.' : `None is named "${wanted}": ${names.join(', ')}.`)
  process.exit(1)
}

// One after another and each in a process of its own, so that none is measured in the wake of another.
const failed = []
for (const name of chosen) {
  console.log(`${name}:`)
  const { exitCode, stoppedBy } = await runChild(process.execPath, [`${folder}/${name}.bench.mjs`], {
    cwd: repositoryRoot,
  })
  if (stoppedBy) process.exit(exitCode)
  if (exitCode !== 0) failed.push(name)
}
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}.`)
  process.exitCode = 1
}
