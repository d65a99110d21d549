/** A vendor's error for a rejected request. */
export function refusalBody(vendor: 'anthropic' | 'openai', { status, message, code }: Refusal): unknown {
  const { type, ...standard } = refusals[status] ?? { type: 'api_error', message: 'Internal server error' }
  const said = message ?? standard.message
  if (vendor === 'anthropic') return { type: 'error', error: { type, message: said }, request_id: null }
  const openaiType = status >= 500 ? 'server_error' : status === 429 ? 'requests' : 'invalid_request_error'
  return { error: { message: said, type: openaiType, param: null, code: code ?? standard.code ?? null } }
}

export type Refusal = { status: number; message?: string; code?: string }

/** By status: Anthropic's type, a message and OpenAI's code. Status 400 means that the conversation is too long. */
const refusals: Record<number, { type: string; message: string; code?: string }> = {
  400: {
    type: 'invalid_request_error',
    message: 'prompt is too long: 250000 tokens > 200000 maximum',
    code: 'context_length_exceeded',
  },
  401: { type: 'authentication_error', message: 'invalid x-api-key', code: 'invalid_api_key' },
  403: { type: 'permission_error', message: 'Your key may not use this resource' },
  404: { type: 'not_found_error', message: 'Not found', code: 'model_not_found' },
  413: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  429: { type: 'rate_limit_error', message: 'This request would exceed your rate limit', code: 'rate_limit_exceeded' },
  500: { type: 'api_error', message: 'Internal server error' },
  503: { type: 'api_error', message: 'Service unavailable', code: 'server_is_overloaded' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
}
