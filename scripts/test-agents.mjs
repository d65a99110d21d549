import { homedir } from 'node:os'
import { installCli, RegistryUnreachable } from './install-cli.mjs'
import { prepare } from './prepare.mjs'
import { Interrupted, PrepareError } from './prepare-error.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'

// The exit code that test harnesses read as "skipped".
const notRunExitCode = 77

// `runtime_alpha@2.1.325` selects another version than the pinned one; all other arguments go to vitest.
const otherVersion = /^(?<runtime>[a-z_]+)@(?<version>\d\S*)$/

await prepare()

const built = new URL('../packages/server/dist/', import.meta.url)
/** @type {typeof import('../packages/server/src/runtimes/cli.ts')} */
const { cliFolder, cliProgram } = await import(new URL('runtimes/cli.js', built).href)
/** @type {typeof import('../packages/server/src/runtimes/registry.ts')} */
const { pinnedClis } = await import(new URL('runtimes/registry.js', built).href)

const args = process.argv.slice(2)
try {
  // Outside the checkout: all checkouts share this gigabyte.
  const agentsFolder = `${process.env.XDG_CACHE_HOME || `${homedir()}/.cache`}/yardmaster/agents`
  const programs = await installAll(agentsFolder)
  process.env.YARDMASTER_TEST_CLIS = JSON.stringify(programs)
  process.exitCode = await runVitest()
} catch (problem) {
  if (problem instanceof Interrupted) process.exit(problem.exitCode)
  if (!(problem instanceof PrepareError)) throw problem
  console.error(problem.message)
  if (problem instanceof RegistryUnreachable) console.error('NOT GREEN: the tests with real agents were not run.')
  process.exitCode = problem instanceof RegistryUnreachable ? notRunExitCode : 1
}

/** @param {string} agentsFolder */
async function installAll(agentsFolder) {
  const requested = args.map((arg) => otherVersion.exec(arg)?.groups)
  /** @type {Record<string, string>} */
  const programs = {}
  for (const pinned of pinnedClis) {
    const cli = {
      ...pinned,
      version: requested.find((one) => one?.runtime === pinned.runtime)?.version ?? pinned.version,
    }
    const program = cliProgram(agentsFolder, cli)
    await installCli(agentsFolder, { cli, folder: cliFolder(agentsFolder, cli), program })
    programs[cli.runtime] = program
  }
  return programs
}

async function runVitest() {
  const packageFolder = `${repositoryRoot}/packages/server`
  const vitest = `${repositoryRoot}/node_modules/vitest/vitest.mjs`
  const choices = args
    .filter((arg) => !otherVersion.test(arg))
    .map((arg) => arg.replace(/^(\.\/)?packages\/server\//, ''))
  const config = ['run', '--config', `${packageFolder}/vitest.agents.config.ts`]
  const { exitCode } = await runChild(process.execPath, [vitest, ...config, ...choices], { cwd: packageFolder })
  return exitCode
}
