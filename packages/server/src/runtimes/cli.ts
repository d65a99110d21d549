import { join } from 'node:path'

/** A vendor's CLI at the version we have tried. Versions move and what they print moves with them: raise one at a time. */
export type PinnedCli = {
  runtime: string
  package: string
  version: string
  /** The program itself below node_modules, not the launcher that npm links: killing a launcher leaves the agent running. */
  binary: string
}

/**
 * Every CLI that is run, by tests and in production. `{platform}`, `{arch}` and `{target}` stand for the machine.
 * Tried besides the pins: claude-code 2.1.325. The last row is the agent that the ACP runtime is tested with.
 */
export const pinnedClis = [
  {
    runtime: 'runtime_alpha',
    package: '@anthropic-ai/claude-code',
    version: '2.1.197',
    binary: '@anthropic-ai/claude-code-{platform}-{arch}/claude',
  },
  {
    runtime: 'runtime_beta',
    package: '@openai/codex',
    version: '0.166.0',
    binary: '@openai/codex-{platform}-{arch}/vendor/{target}/bin/codex',
  },
  {
    runtime: 'acp',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.49.0',
    binary: '@agentclientprotocol/claude-agent-acp/dist/index.js',
  },
] as const satisfies readonly PinnedCli[]

export type Machine = { platform: string; arch: string }

/** The folder of one CLI at one version, below the folder where agents are kept (`agents` in the home). */
export function cliFolder(agentsFolder: string, cli: PinnedCli): string {
  return join(agentsFolder, `${cli.package.replace(/^@/, '').replace('/', '-')}-${cli.version}`)
}

/** Where the program stands in there. Whether it does is the caller's question. */
export function cliProgram(agentsFolder: string, cli: PinnedCli, machine: Machine = process): string {
  const { platform, arch } = machine
  const binary = cli.binary
    .replace('{platform}', platform)
    .replace('{arch}', arch)
    .replace('{target}', targetOf(machine))
  return join(cliFolder(agentsFolder, cli), 'node_modules', binary)
}

/** The machine as Rust names it. */
function targetOf({ platform, arch }: Machine): string {
  const processor = arch === 'arm64' ? 'aarch64' : 'x86_64'
  return platform === 'darwin' ? `${processor}-apple-darwin` : `${processor}-unknown-linux-musl`
}
