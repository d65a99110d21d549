import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { AgentCli } from './runtime.ts'

/** A vendor's CLI at the version that was tried. Output formats change between versions: raise one pin at a time. */
export type PinnedCli = {
  package: string
  version: string
  /**
   * The program below node_modules, with `{platform}`, `{arch}` and `{target}` for the machine. Not the launcher that npm
   * links: killing a launcher leaves the agent running.
   */
  binary: string
}

export type Machine = { platform: string; arch: string }

/** The folder of one CLI at one version, below the folder for agents (`agents` in the home). */
export function cliFolder(agentsFolder: string, cli: PinnedCli): string {
  return join(agentsFolder, `${cli.package.replace(/^@/, '').replace('/', '-')}-${cli.version}`)
}

/** The path of the program in that folder, whether or not it is installed. */
export function cliProgram(agentsFolder: string, cli: PinnedCli, machine: Machine = process): string {
  const { platform, arch } = machine
  const binary = cli.binary
    .replace('{platform}', platform)
    .replace('{arch}', arch)
    .replace('{target}', rustTarget(machine))
  return join(cliFolder(agentsFolder, cli), 'node_modules', binary)
}

function rustTarget({ platform, arch }: Machine): string {
  const processor = arch === 'arm64' ? 'aarch64' : 'x86_64'
  return platform === 'darwin' ? `${processor}-apple-darwin` : `${processor}-unknown-linux-musl`
}

/** The program of a CLI, if `npm run agents:install` has installed it on this host. */
export async function installedProgram(agentsFolder: string, cli: PinnedCli): Promise<string | undefined> {
  const program = cliProgram(agentsFolder, cli)
  return (await isProgram(program)) ? program : undefined
}

/** Whether the command is an executable: an absolute path, or a name on the PATH. */
export async function isProgram(command: string): Promise<boolean> {
  const folders = isAbsolute(command) ? [''] : (process.env.PATH ?? '').split(delimiter)
  for (const folder of folders) if (await isAccessible(join(folder, command), constants.X_OK)) return true
  return false
}

/** Whether it is installed and signed in. Decided from this host's files and variables: no request goes to a vendor. */
export async function canRun(cli: AgentCli): Promise<boolean> {
  return (await isProgram(cli.command)) && (await cli.isAuthenticated())
}

type VendorCli = {
  title: string
  driver: string
  command: string
  /** The variables that may hold a key, the preferred one first, with their values. */
  keys: Readonly<Record<string, string | undefined>>
  /** The variable that names the CLI's login file, with its value. */
  login: { variable: string; file: string | undefined }
}

/** Describes a vendor's CLI to the operator. It is signed in if a key is set or its login file is readable. */
export function describeCli({ title, driver, command, keys, login }: VendorCli): AgentCli {
  const { file } = login
  const names = Object.keys(keys)
  const hasKey = Object.values(keys).some(Boolean)
  return {
    title,
    command,
    installInstructions: `npm run agents:install -- ${driver}`,
    authInstructions: `Set ${names.join(' or ')}, or ${login.variable} to the login file of this CLI, and start again.`,
    authMethod: hasKey || file === undefined ? 'env_var' : 'oauth',
    envVarName: names[0] ?? null,
    isAuthenticated: async () => hasKey || (file !== undefined && (await isAccessible(file, constants.R_OK))),
  }
}

function isAccessible(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}
