import { childEnvironment } from '../../platform/process/environment.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import type { Runtime, TurnOrder } from '../runtime.ts'
import { startAppServerTurn } from './app-server-turn.ts'
import type { Codex } from './codex.ts'
import { codexHome } from './codex-home.ts'
import type { BetaOptions } from './config.ts'
import { accessOf, providerName } from './config-toml.ts'
import { equip } from './equip.ts'
import { startExecTurn } from './exec-turn.ts'
import { nativeProgram } from './native-program.ts'
import { prepareHome, removeSecrets } from './prepare-home.ts'
import { defaultRetryDelaysMs } from './rate-limit-retry.ts'
import { readableEntry } from './readable.ts'
import { rolloutFiles } from './rollout-files.ts'
import { isWorthKeeping, showsReceipt } from './transcript.ts'
import { usageReader } from './usage.ts'
import { writeRollout } from './write-transcript.ts'

export const name = 'runtime_beta'

/** Outlasts a short outage, but not a quota that is spent for the day. */
const defaultOutageMs = 15 * 60_000

/** A provider that asks for a longer pause (`retry-after: 3600`) does not answer soon. */
const defaultPauseMs = 30_000

/** OpenAI's Codex CLI, tried with 0.166.0. Version-specific code stays in this folder. */
export function betaRuntime(options: BetaOptions): Runtime {
  const access = { environment: options.environment ?? {}, baseUrl: options.baseUrl, authFile: options.authFile }
  const codex: Codex = {
    access: ({ login }) => accessOf(access, login),
    outageMs: options.outageMs ?? defaultOutageMs,
    pauseMs: options.pauseMs ?? defaultPauseMs,
    retryDelaysMs: options.retryDelaysMs ?? defaultRetryDelaysMs,
    async program({ login, ...order }, args) {
      const { conversation, equipment } = order
      const ofTurn = accessOf(access, login)
      await prepareHome(ofTurn, order)
      return {
        command: await nativeProgram(options.command),
        args,
        cwd: conversation.workingDirectory,
        env: childEnvironment({
          set: {
            ...equipment.environment,
            ...ofTurn.environment,
            HOME: conversation.home,
            CODEX_HOME: codexHome(conversation),
          },
        }),
      }
    },
  }
  // `codex exec` cannot ask.
  const starterFor = ({ ask }: TurnOrder) => (options.mode === 'exec' && !ask ? startExecTurn : startAppServerTurn)
  const findFiles = rolloutFiles()
  const usage = usageReader()
  return {
    name,
    takesCompactWindow: true,
    models: () => options.models,
    newConversationId: () => undefined,
    equip: (conversation, equipment) => equip(access, conversation, equipment),
    start: (order) => starterFor(order)(codex, order).catch(addInstallAdvice),
    removeSecrets,
    async transcriptFiles(conversation) {
      const files = await findFiles(conversation)
      await usage.readContexts(conversation.home, files)
      return files
    },
    writeTranscript: (conversation, lines) => writeRollout(conversation, lines, providerName(access)),
    showsReceipt,
    isWorthKeeping,
    readable: readableEntry,
    usageOf: usage.usageOf,
  }
}

/** Tells the operator what to do about a missing program. */
function addInstallAdvice(error: unknown): never {
  if (!(error instanceof SpawnFailed) || !error.message.includes('no such program')) throw error
  const reason =
    'there is no such program; install Codex with "npm run agents:install" or set RUNTIME_BETA_COMMAND to its path'
  throw new SpawnFailed({ command: error.command, reason, cause: error.cause })
}
