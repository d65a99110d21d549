import { access, mkdir } from 'node:fs/promises'
import { writePrivateFile } from '../../platform/files/private-file.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import { launchAgent } from '../launch-agent.ts'
import type { RunningTurn, TurnEnd, TurnOrder } from '../runtime.ts'
import { agentEnvironment } from './agent-environment.ts'
import type { AlphaOptions } from './config.ts'
import { beginningFlags, noteBegun } from './conversation-flags.ts'
import { openInput } from './input.ts'
import { accessProvider } from './login.ts'
import { interruptLine, promptLine } from './protocol.ts'
import { listen } from './read-output.ts'
import { placesOf } from './session-paths.ts'
import { judgeEnd } from './turn-end.ts'

/** How long an agent may take to end when it is asked, and again when it is told. It ends its own tools meanwhile. */
const graceMs = 5000

/** One turn is one process. It is given its prompt when it is known to be wanted, and has heard enough with its result. */
export async function startTurn(order: TurnOrder, options: AlphaOptions): Promise<RunningTurn> {
  const program = await programFor(order, options)
  return launchAgent(order, program, (child) => {
    const input = openInput(child)
    const heard = listen(child, order, input)
    input.tell(promptLine(order.prompt))
    let wasInterrupted = false
    let hasExited = false
    const ended = (async (): Promise<TurnEnd> => {
      const [exit, { result, gaveUp }] = await Promise.all([child.exited, heard])
      hasExited = true
      // Whatever the agent started goes with it.
      await child.stop({ graceMs: 0 })
      await noteBegun(order.conversation)
      return judgeEnd({ wasInterrupted, gaveUp, result, exit, complaint: child.stderrTail() })
    })()
    return {
      identity: child.identity,
      ended,
      interrupt: async () => {
        wasInterrupted ||= !hasExited
        await child.stop({ graceMs, ask: () => input.tell(interruptLine()) })
      },
    }
  }).catch((error: unknown) => {
    throw explained(error, options.command)
  })
}

async function programFor(order: TurnOrder, options: AlphaOptions) {
  const { conversation, equipment } = order
  const places = placesOf(conversation)
  for (const folder of [places.config, places.temporary]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const provider = await accessProvider(conversation, options)
  await writePrivateFile(places.settings, JSON.stringify({ cleanupPeriodDays, ...provider.settings }))
  if (equipment.instructions !== '') await writePrivateFile(places.instructions, equipment.instructions)
  return {
    command: options.command,
    args: [
      ...['-p', '--verbose', '--output-format', 'stream-json', '--input-format', 'stream-json'],
      ...['--permission-mode', 'bypassPermissions'],
      ...(await beginningFlags(conversation)),
      ...['--model', order.model],
      ...['--settings', places.settings],
      // In a file, because the goal may be longer than an argument can be.
      ...(equipment.instructions === '' ? [] : ['--append-system-prompt-file', places.instructions]),
      // The session's list of servers is what its agent gets, and what the API shows. A `.mcp.json` of the repository
      // would start programs of its choice before the agent has decided anything.
      '--strict-mcp-config',
      ...((await isThere(places.mcpServers)) ? ['--mcp-config', places.mcpServers] : []),
    ],
    cwd: conversation.workingDirectory,
    env: agentEnvironment(order, provider.environment),
  }
}

/** After a month the CLI would remove transcripts, also of a session that is to go on after two. */
const cleanupPeriodDays = 36_500

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function explained(error: unknown, command: string): unknown {
  if (!(error instanceof SpawnFailed) || error.code !== 'ENOENT' || error.message.includes('its working folder'))
    return error
  const reason =
    'it is not there; install it with `npm run agents:install -- runtime_alpha`, or set RUNTIME_ALPHA_COMMAND to where it is'
  return new SpawnFailed({ command, reason, cause: error.cause })
}
