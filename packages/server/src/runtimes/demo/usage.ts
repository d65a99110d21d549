import { z } from 'zod'
import { parseJson } from '../../platform/parse-json.ts'
import { plainUsage, type Usage } from '../usage.ts'

const UsageLine = z.object({
  requestId: z.string(),
  timestamp: z.iso.datetime(),
  isSidechain: z.boolean().default(false),
  message: z.object({
    model: z.string(),
    usage: z.object({ input_tokens: z.int().min(0), output_tokens: z.int().min(0) }),
  }),
})

/** The usage that a line reports. Cheap check first: most lines report none. */
export function usageOf(line: string): Usage | undefined {
  if (!line.includes('"usage"')) return undefined
  const { data } = UsageLine.safeParse(parseJson(line))
  if (!data) return undefined
  return {
    request_id: data.requestId,
    model: data.message.model,
    called_at: new Date(data.timestamp),
    subagent: data.isSidechain,
    ...plainUsage,
    ...data.message.usage,
  }
}
