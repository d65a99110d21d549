import { access } from 'node:fs/promises'
import { ensureUntrusted, writeUntrusted } from '../../platform/files/untrusted-folder.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import { pinnedVariables } from '../claude-code/variables.ts'
import { launchAgent } from '../launch-agent.ts'
import { quote } from '../quote.ts'
import type { RunningTurn, TurnEnd, TurnOrder } from '../runtime.ts'
import { agentEnvironment } from './agent-environment.ts'
import type { AlphaOptions } from './config.ts'
import { conversationFlags, recordStarted } from './conversation-flags.ts'
import { openInput } from './input.ts'
import { providerAccess } from './login.ts'
import { interruptLine, promptLine } from './protocol.ts'
import { readOutput } from './read-output.ts'
import { repositoryFlags, repositoryVariables } from './repository-text.ts'
import { sessionPaths } from './session-paths.ts'
import { decideTurnEnd } from './turn-end.ts'

/** Grace period after the protocol's interrupt, and again after SIGTERM. The agent stops its tools meanwhile. */
const graceMs = 5000

/** Runs a turn in a process of its own. The driver closes the CLI's input when it reads the result. */
export async function startTurn(order: TurnOrder, options: AlphaOptions): Promise<RunningTurn> {
  const program = await programFor(order, options)
  return launchAgent(order, program, (child) => {
    const input = openInput(child)
    const output = readOutput(child, order, input)
    input.send(promptLine(order))
    let wasInterrupted = false
    let hasExited = false
    const ended = (async (): Promise<TurnEnd> => {
      const [exit, { result, earlyEnd, limit }] = await Promise.all([child.exited, output])
      hasExited = true
      // Kill what the agent left running.
      await child.stop({ graceMs: 0 })
      await recordStarted(order.conversation)
      if (order.isCommand && result && result.conversationId !== order.conversation.id)
        order.onNotice(leftConversation(order))
      return decideTurnEnd({ wasInterrupted, earlyEnd, result, limit, exit, stderr: child.stderrTail() })
    })()
    return {
      identity: child.identity,
      ended,
      interrupt: async () => {
        wasInterrupted ||= !hasExited
        await child.stop({ graceMs, ask: () => input.send(interruptLine()) })
      },
    }
  }).catch((error: unknown) => {
    throw withInstallAdvice(error, options.command)
  })
}

/** `/clear` does this. */
function leftConversation({ prompt }: TurnOrder): string {
  return `The command ${quote(prompt)} made the CLI begin another conversation, which Yardmaster does not follow: the next prompt continues this one. Create a new session for an empty conversation.`
}

async function programFor(order: TurnOrder, options: AlphaOptions) {
  const { conversation, equipment } = order
  const places = sessionPaths(conversation)
  const bounds = { within: conversation.home }
  for (const folder of [places.config, places.temporary]) await ensureUntrusted(folder, bounds)
  const provider = await providerAccess(conversation, options, order.login)
  const env = { ...agentEnvironment(order, provider.environment), ...repositoryVariables(equipment) }
  const settings = { cleanupPeriodDays, env: pinnedVariables(env), ...provider.settings }
  await writeUntrusted(places.settings, JSON.stringify(settings), bounds)
  if (equipment.instructions !== '') await writeUntrusted(places.instructions, equipment.instructions, bounds)
  return {
    command: options.command,
    args: [
      ...['-p', '--verbose', '--output-format', 'stream-json', '--input-format', 'stream-json'],
      ...permissionFlags(order),
      ...(await conversationFlags(conversation)),
      ...['--model', order.model],
      ...['--settings', places.settings],
      ...(await repositoryFlags(conversation, equipment)),
      // In a file: the goal may exceed the length limit of an argument.
      ...(equipment.instructions === '' ? [] : ['--append-system-prompt-file', places.instructions]),
      // The agent gets exactly the servers that the API shows for the session. The repository's `.mcp.json` would start
      // its programs before the agent decides anything.
      '--strict-mcp-config',
      ...((await exists(places.mcpServers)) ? ['--mcp-config', places.mcpServers] : []),
    ],
    cwd: conversation.workingDirectory,
    env,
  }
}

/** With `stdio` the CLI asks by its control protocol. */
function permissionFlags({ hasNoTools, ask }: TurnOrder): readonly string[] {
  if (hasNoTools) return ['--tools', '']
  return ask
    ? ['--permission-mode', 'default', '--permission-prompt-tool', 'stdio']
    : ['--permission-mode', 'bypassPermissions']
}

/** By default the CLI deletes transcripts after a month, and with them sessions that rest longer. */
const cleanupPeriodDays = 36_500

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function withInstallAdvice(error: unknown, command: string): unknown {
  if (!(error instanceof SpawnFailed) || error.code !== 'ENOENT' || error.message.includes('its working folder'))
    return error
  const reason =
    'it is not there; install it with `npm run agents:install -- runtime_alpha`, or set RUNTIME_ALPHA_COMMAND to its path'
  return new SpawnFailed({ command, reason, cause: error.cause })
}
