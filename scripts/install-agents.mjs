import { installCli } from './install-cli.mjs'
import { prepare } from './prepare.mjs'
import { Interrupted, PrepareError } from './prepare-error.mjs'

await prepare()

const built = new URL('../packages/server/dist/', import.meta.url)
/** @type {typeof import('../packages/server/src/runtimes/cli.ts')} */
const { cliFolder, cliProgram } = await import(new URL('runtimes/cli.js', built).href)
/** @type {typeof import('../packages/server/src/runtimes/registry.ts')} */
const { pinnedClis } = await import(new URL('runtimes/registry.js', built).href)
/** @type {typeof import('../packages/server/src/app/config.ts')} */
const { readConfig, readEnvironment } = await import(new URL('app/config.js', built).href)
/** @type {typeof import('../packages/server/src/platform/home/home-folder.ts')} */
const { explainUnusable, prepareHomeFolder } = await import(new URL('platform/home/home-folder.js', built).href)

try {
  await installNamed(process.argv.slice(2))
} catch (problem) {
  if (problem instanceof Interrupted) process.exit(problem.exitCode)
  // These errors carry a message for the user; any other error is a fault and shows its stack.
  if (!(problem instanceof PrepareError) && !(problem instanceof Error && problem.name === 'StartupError'))
    throw problem
  console.error(problem.message)
  process.exitCode = 1
}

/** @param {string[]} names */
async function installNamed(names) {
  const chosen = pinnedClis.filter(({ runtime }) => names.includes(runtime))
  const unknown = names.filter((name) => !pinnedClis.some(({ runtime }) => runtime === name))
  if (names.length === 0 || unknown.length > 0) {
    const choices = pinnedClis.map(({ runtime, package: name, version }) => `  ${runtime}  ${name} ${version}`)
    const problem = unknown.length > 0 ? `There is no agent for ${unknown.join(', ')}.` : 'Name the agents to install.'
    throw new PrepareError(
      [problem, 'npm run agents:install -- RUNTIME, where RUNTIME is one of:', ...choices].join('\n'),
    )
  }
  const path = readConfig(readEnvironment(process.cwd())).YARDMASTER_HOME
  const home = await explainUnusable(path, () => prepareHomeFolder(path))
  const agentsFolder = `${home}/agents`
  for (const cli of chosen) {
    const program = cliProgram(agentsFolder, cli)
    await installCli(agentsFolder, { cli, folder: cliFolder(agentsFolder, cli), program })
    console.log(`${cli.runtime}: ${program}`)
  }
}
