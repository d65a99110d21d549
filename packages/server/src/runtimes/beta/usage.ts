import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { TranscriptFile, Usage } from '../runtime.ts'
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
 * reader remembers these lines as it sees them; after a restart of the server it looks them up in the file.
 */
export function usageReader() {
  const models = new Map<string, string>()
  const paths = new Map<string, string>()

  const modelOf = (turnId: string, threadId: string): string => {
    const model = models.get(turnId) ?? modelIn(paths.get(threadId), turnId)
    if (model !== undefined) remember(models, turnId, model)
    return model ?? 'unknown'
  }

  return {
    /** Registers the files in which to look up context lines. */
    registerFiles(conversationId: string | undefined, files: readonly TranscriptFile[]): void {
      for (const { thread, path, subagent } of files) {
        const id = subagent ? thread : conversationId
        if (id !== undefined) remember(paths, id, path)
      }
    },
    usageOf(line: string): Usage | undefined {
      if (line.includes('"turn_context"')) {
        const context = readTurnContext(line)
        if (context) remember(models, context.turn_id, context.model)
        return undefined
      }
      if (!line.includes('"token_usage_record"')) return undefined
      const { data } = UsageRecord.safeParse(readRolloutLine(line))
      if (!data) return undefined
      const { thread_id: threadId, session_id: sessionId, turn_id: turnId, response_id, usage } = data.payload
      return {
        request_id: response_id,
        model: modelOf(turnId, threadId),
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

/** Reads the whole file synchronously, because `usageOf` is synchronous. Happens once per turn, and only after a restart. */
function modelIn(path: string | undefined, turnId: string): string | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) =>
        line.includes('"turn_context"') && line.includes(turnId) ? (readTurnContext(line) ?? []) : [],
      )
      .find((context) => context.turn_id === turnId)?.model
  } catch {
    return undefined // the file is gone; the usage is recorded without its model
  }
}

/** More than the turns and threads of all active sessions. Evicts the oldest. */
const maxRemembered = 10_000

function remember(map: Map<string, string>, key: string, value: string): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > maxRemembered && oldest !== undefined) map.delete(oldest)
}
