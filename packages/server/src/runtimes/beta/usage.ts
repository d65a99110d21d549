import { z } from 'zod'
import { ifUntrusted } from '../../platform/files/untrusted-file.ts'
import type { TranscriptFile } from '../runtime.ts'
import type { Usage } from '../usage.ts'
import { rolloutLines } from './rollout-files.ts'
import { readRolloutLine } from './rollout-line.ts'

const UsageRecord = z.object({
  timestamp: z.iso.datetime(),
  payload: z.object({
    thread_id: z.string(),
    session_id: z.string(),
    turn_id: z.string(),
    response_id: z.string(),
    usage: z.object({
      input_tokens: z.int().min(0),
      cached_input_tokens: z.int().min(0).default(0),
      cache_write_input_tokens: z.int().min(0).default(0),
      output_tokens: z.int().min(0),
    }),
  }),
})

/**
 * Reads the usage of model calls. Codex writes one record per call, without the model: that is in the turn's context line. The
 * reader remembers these lines as it sees them. Those that it did not see, because the server was restarted, it reads from the
 * file before.
 */
export function usageReader() {
  const models = new Map<string, string>()
  const readPaths = new Map<string, string>()

  const modelOf = (turnId: string): string => {
    const model = models.get(turnId)
    if (model !== undefined) remember(models, turnId, model)
    return model ?? 'unknown'
  }
  const readContext = (line: string): void => {
    const context = readTurnContext(line)
    if (context) remember(models, context.turn_id, context.model)
  }

  return {
    /** Reads each file once: later lines of it pass through `usageOf`. The reader of its lines reports a file that is refused. */
    async readContexts(home: string, files: readonly Pick<TranscriptFile, 'path'>[]): Promise<void> {
      for (const { path } of files) {
        if (readPaths.has(path)) continue
        await eachContext(path, home, readContext).catch(ifUntrusted(undefined))
        remember(readPaths, path, path)
      }
    },
    usageOf(line: string): Usage | undefined {
      if (isContext(line)) {
        readContext(line)
        return undefined
      }
      if (!line.includes('"token_usage_record"')) return undefined
      const { data } = UsageRecord.safeParse(readRolloutLine(line))
      if (!data) return undefined
      const { thread_id: threadId, session_id: sessionId, turn_id: turnId, response_id, usage } = data.payload
      return {
        request_id: response_id,
        model: modelOf(turnId),
        called_at: new Date(data.timestamp),
        subagent: threadId !== sessionId,
        // The vendor's input count includes cached tokens.
        input_tokens: Math.max(0, usage.input_tokens - usage.cached_input_tokens - usage.cache_write_input_tokens),
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cached_input_tokens,
        cache_creation_tokens: usage.cache_write_input_tokens,
        cache_creation_5m_tokens: 0,
        cache_creation_1h_tokens: 0,
        web_search_requests: 0,
        web_fetch_requests: 0,
        service_tier: null,
      }
    },
  }
}

const TurnContext = z.object({ payload: z.object({ turn_id: z.string(), model: z.string() }) })

function readTurnContext(line: string): { turn_id: string; model: string } | undefined {
  const entry = readRolloutLine(line)
  return entry?.type === 'turn_context' ? TurnContext.safeParse(entry).data?.payload : undefined
}

async function eachContext(path: string, home: string, read: (line: string) => void): Promise<void> {
  for await (const line of rolloutLines(path, home)) if (isContext(line)) read(line)
}

/** Cheap: most lines are none. */
function isContext(line: string): boolean {
  return line.includes('"turn_context"')
}

/** More than the turns and files of all active sessions. Evicts the oldest. */
const maxRemembered = 10_000

function remember(map: Map<string, string>, key: string, value: string): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > maxRemembered && oldest !== undefined) map.delete(oldest)
}
