import type { Usage } from '../runtime.ts'
import { fieldsOf, numberOf, parseFields, stringOf } from './fields.ts'

/**
 * What a line says was used. A model's message is a line for each of its blocks, all with the id of one request and with
 * its final numbers: the CLI writes none before the message is complete.
 */
export function usageOf(line: string): Usage | undefined {
  // Most lines have none, which is seen before anything is parsed.
  if (!line.includes('"usage"')) return undefined
  const entry = parseFields(line)
  const message = fieldsOf(entry?.message)
  const usage = fieldsOf(message?.usage)
  const model = stringOf(message?.model)
  const requestId = stringOf(entry?.requestId) ?? stringOf(message?.id)
  const calledAt = new Date(stringOf(entry?.timestamp) ?? Number.NaN)
  if (entry?.type !== 'assistant' || !usage || !model || !requestId || Number.isNaN(calledAt.getTime()))
    return undefined
  // The CLI's own messages, such as an error it puts in the model's mouth.
  if (model === '<synthetic>') return undefined
  const cacheWrites = fieldsOf(usage.cache_creation)
  const serverTools = fieldsOf(usage.server_tool_use)
  const created = count(usage.cache_creation_input_tokens)
  const createdForAnHour = count(cacheWrites?.ephemeral_1h_input_tokens)
  return {
    request_id: requestId,
    model,
    called_at: calledAt,
    subagent: entry.isSidechain === true,
    input_tokens: count(usage.input_tokens),
    output_tokens: count(usage.output_tokens),
    cache_read_tokens: count(usage.cache_read_input_tokens),
    cache_creation_tokens: created,
    cache_creation_5m_tokens: cacheWrites ? count(cacheWrites.ephemeral_5m_input_tokens) : created,
    cache_creation_1h_tokens: createdForAnHour,
    web_search_requests: count(serverTools?.web_search_requests),
    web_fetch_requests: count(serverTools?.web_fetch_requests),
    service_tier: stringOf(usage.service_tier) ?? null,
  }
}

function count(value: unknown): number {
  const figure = numberOf(value)
  return figure !== undefined && figure > 0 ? Math.trunc(figure) : 0
}
