import { z } from 'zod'
import { parseJson } from '../../platform/parse-json.ts'
import { plainUsage, type Usage } from '../usage.ts'

const tokens = z.int().min(0)

const UsageLine = z.object({
  requestId: z.string(),
  timestamp: z.iso.datetime(),
  message: z.object({
    model: z.string(),
    usage: z.object({
      input_tokens: tokens,
      output_tokens: tokens,
      cache_read_input_tokens: tokens.default(0),
      cache_creation_input_tokens: tokens.default(0),
    }),
  }),
})

/** An agent reports the usage of all calls of a turn once, at its end. Most lines have none. */
export function usageOf(line: string): Usage | undefined {
  if (!line.includes('"usage"')) return undefined
  const { data } = UsageLine.safeParse(parseJson(line))
  if (!data) return undefined
  const { usage, model } = data.message
  return {
    ...plainUsage,
    request_id: data.requestId,
    model,
    called_at: new Date(data.timestamp),
    subagent: false,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_read_tokens: usage.cache_read_input_tokens,
    cache_creation_tokens: usage.cache_creation_input_tokens,
  }
}
