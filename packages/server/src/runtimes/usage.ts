/** The usage of one model call. Several transcript lines may report the same call; they share its request id. */
export type Usage = {
  request_id: string
  model: string
  called_at: Date
  /** Whether a subagent made the call. */
  subagent: boolean
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_creation_tokens: number
  cache_creation_5m_tokens: number
  cache_creation_1h_tokens: number
  web_search_requests: number
  web_fetch_requests: number
  service_tier: string | null
}

/** Defaults for a runtime that reports only input and output tokens. */
export const plainUsage = {
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
  cache_creation_5m_tokens: 0,
  cache_creation_1h_tokens: 0,
  web_search_requests: 0,
  web_fetch_requests: 0,
  service_tier: null,
} as const satisfies Partial<Usage>
