import type { PinnedCli } from '../cli.ts'

/** The agent that the tests of this driver run. Operators name their own agents in the runtimes file. */
export const pinnedCli: PinnedCli = {
  package: '@agentclientprotocol/claude-agent-acp',
  version: '0.49.0',
  binary: '@agentclientprotocol/claude-agent-acp/dist/index.js',
}
