import { mkdir } from 'node:fs/promises'
import type { Cli } from '@yardmaster/contract/clis/fields'
import { childEnvironment } from '../../platform/process/environment.ts'
import { runCommand } from '../../platform/process/run-command.ts'
import { isProgram } from '../../runtimes/cli.ts'
import type { AgentCli } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'

/** A CLI that has not printed its version by then hangs. */
const timeoutMs = 10_000

/** Runs only `--version`, as an agent runs it: no request goes to a model or a vendor. */
export async function checkCli(app: App, cli: AgentCli): Promise<Cli> {
  const found = await readVersion(app, cli)
  return { ...describe(cli), ...found, authenticated: await cli.isAuthenticated() }
}

/** The fields that need no check. */
export function describe(cli: AgentCli): Omit<Cli, 'installed' | 'authenticated' | 'version' | 'error'> {
  return {
    name: cli.title,
    install_instructions: cli.installInstructions,
    auth_instructions: cli.authInstructions,
    auth_method: cli.authMethod,
    env_var_name: cli.envVarName,
  }
}

async function readVersion(app: App, cli: AgentCli): Promise<Pick<Cli, 'installed' | 'version' | 'error'>> {
  if (cli.hasVersion === false) {
    const installed = await isProgram(cli.command)
    return { installed, version: null, error: installed ? null : `There is no program ${cli.command} on this host.` }
  }
  try {
    const folder = app.home.in('clis')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const env = childEnvironment({ set: { HOME: folder } })
    const program = { command: cli.command, args: ['--version'], cwd: folder, env }
    const { stdout, stderr, timedOut } = await runCommand({
      ...(await app.confinement.confine({ work: folder, home: folder })(program)),
      timeoutMs,
      maxOutputBytes: 64 * 1024,
    })
    if (timedOut)
      return { installed: true, version: null, error: `It did not print its version within ${timeoutMs / 1000} s.` }
    const [version = null] = /\d+\.\d+\.\d+/.exec(`${stdout}\n${stderr}`) ?? []
    return { installed: true, version, error: null }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { installed: false, version: null, error: await app.redactor.text(message) }
  }
}
