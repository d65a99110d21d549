// Creates the clone that its arguments describe and prints one line. Runs the built server in its own process, so that
// a test can kill it.
import { openClones } from '../../../dist/platform/git/clones.js'
import { parseRepositoryAddress } from '../../../dist/platform/git/repository-address.js'

const [root, mirrorsRoot, address, branch, name] = process.argv.slice(2)
const clones = openClones({ root, mirrorsRoot, networkTimeoutMs: 20_000 })
try {
  const { commit } = await clones.create({ name, address: parseRepositoryAddress(address), branch })
  process.stdout.write(`${commit}\n`)
} catch (error) {
  process.stdout.write(`${error.name}: ${error.message}\n`)
}
