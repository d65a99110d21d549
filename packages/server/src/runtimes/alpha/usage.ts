import type { Usage } from '../usage.ts'
import { fieldsOf, numberOf, parseFields, stringOf } from './fields.ts'

/**
 * The usage that a line reports. The CLI writes one line per block of a model's message, after the message is complete; all of
 * them have the same request id and the final numbers.
 */
export function usageOf(line: string): Usage | undefined {
  // Cheap check first: most lines report no usage.
  if (!line.includes('"usage"')) return undefined
  const entry = parseFields(line)
  const message = fieldsOf(entry?.message)
  const usage = fieldsOf(message?.usage)
  const model = stringOf(message?.model)
  const requestId = stringOf(entry?.requestId) ?? stringOf(message?.id)
  const calledAt = new Date(stringOf(entry?.timestamp) ?? Number.NaN)
  if (entry?.type !== 'assistant' || !usage || !model || !requestId || Number.isNaN(calledAt.getTime()))
    return undefined
  // Written by the CLI itself, such as an error shown as the model's message.
  if (model === '<synthetic>') return undefined
  const cacheWrites = fieldsOf(usage.cache_creation)
  const serverTools = fieldsOf(usage.server_tool_use)
  return {
    request_id: requestId,
    model,
    called_at: calledAt,
    subagent: entry.isSidechain === true,
    input_tokens: count(usage.input_tokens),
    output_tokens: count(usage.output_tokens),
    cache_read_tokens: count(usage.cache_read_input_tokens),
    cache_creation_tokens: count(usage.cache_creation_input_tokens),
    // Both are 0 in a report without lifetimes: its cache writes are charged as if for an hour.
    cache_creation_5m_tokens: count(cacheWrites?.ephemeral_5m_input_tokens),
    cache_creation_1h_tokens: count(cacheWrites?.ephemeral_1h_input_tokens),
    web_search_requests: count(serverTools?.web_search_requests),
    web_fetch_requests: count(serverTools?.web_fetch_requests),
    service_tier: stringOf(usage.service_tier) ?? null,
  }
}

function count(value: unknown): number {
  const number = numberOf(value)
  return number !== undefined && number > 0 ? Math.trunc(number) : 0
}
