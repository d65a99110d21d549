import { z } from 'zod'

/** The shape of every error. Some have a further top-level key, such as `retry_after`. */
export const Problem = z
  .object({
    error: z.string().meta({ description: 'A short label for the kind of error.' }),
    message: z.string().meta({ description: 'The messages, joined with a comma and a space.' }),
    messages: z.array(z.string()).meta({ description: 'One sentence for each thing that is wrong.' }),
  })
  .meta({ id: 'Problem' })

export type Problem = z.infer<typeof Problem>

/**
 * Status and label of every refusal, by kind. Operations name a kind and know nothing of HTTP.
 */
export const refusals = {
  search_query_missing: { status: 400, error: 'Missing parameter' },
  search_query_too_long: { status: 400, error: 'Query too long' },
  unauthorized: { status: 401, error: 'Unauthorized' },
  foreign_origin: { status: 403, error: 'Forbidden' },
  session_mismatch: { status: 403, error: 'Forbidden' },
  own_elicitation: { status: 403, error: 'Forbidden' },
  not_found: { status: 404, error: 'Not Found' },
  session_not_found: { status: 404, error: 'Session not found' },
  no_transcript: { status: 404, error: 'No transcript' },
  no_transcript_files: { status: 404, error: 'Not found' },
  no_archive: { status: 404, error: 'No transcript archive' },
  no_uncle_link: { status: 404, error: 'Not found' },
  method_not_allowed: { status: 405, error: 'Method not allowed' },
  request_timeout: { status: 408, error: 'Request timeout' },
  message_taken: { status: 409, error: 'Cannot interrupt' },
  message_not_pending: { status: 409, error: 'Conflict' },
  log_read_only: { status: 409, error: 'Conflict' },
  transcript_read_only: { status: 409, error: 'Conflict' },
  session_pending: { status: 409, error: 'No session created' },
  parent_unavailable: { status: 409, error: 'Cannot message parent' },
  delivery_replayed: { status: 409, error: 'Already delivered' },
  body_too_large: { status: 413, error: 'Body too large' },
  range_not_satisfiable: { status: 416, error: 'Range not satisfiable' },
  unknown_host: { status: 421, error: 'Misdirected request' },
  validation_failed: { status: 422, error: 'Validation failed' },
  unprocessable: { status: 422, error: 'Unprocessable Entity' },
  invalid_json: { status: 422, error: 'Invalid JSON' },
  invalid_form: { status: 422, error: 'Invalid form' },
  unsupported_content_type: { status: 422, error: 'Unsupported content type' },
  invalid_parameter: { status: 422, error: 'Invalid parameter' },
  invalid_agent_root: { status: 422, error: 'Invalid agent_root' },
  invalid_model: { status: 422, error: 'Invalid model' },
  visibility_update_failed: { status: 422, error: 'Visibility update failed' },
  notes_too_long: { status: 422, error: 'Too long' },
  too_many_children: { status: 422, error: 'Too many children' },
  too_many_entries: { status: 422, error: 'Too many entries' },
  invalid_entries: { status: 422, error: 'Invalid entries' },
  invalid_position: { status: 422, error: 'Invalid position' },
  invalid_placement: { status: 422, error: 'Invalid placement' },
  missing_parameter: { status: 422, error: 'Missing parameter' },
  cannot_follow_up: { status: 422, error: 'Cannot send follow-up' },
  cannot_interrupt: { status: 422, error: 'Cannot interrupt' },
  cannot_message_parent: { status: 422, error: 'Cannot message parent' },
  cannot_dismiss: { status: 422, error: 'Cannot dismiss' },
  cannot_pause: { status: 422, error: 'Cannot pause' },
  cannot_sleep: { status: 422, error: 'Cannot sleep' },
  cannot_restart: { status: 422, error: 'Cannot restart' },
  cannot_archive: { status: 422, error: 'Cannot trash' },
  messages_queued: { status: 422, error: 'Queued messages would be discarded' },
  not_archived: { status: 422, error: 'Cannot restore' },
  restore_failed: { status: 422, error: 'Failed to restore' },
  cannot_summarise: { status: 422, error: 'Cannot regenerate status summary' },
  fork_failed: { status: 422, error: 'Fork failed' },
  no_clone: { status: 422, error: 'No clone path' },
  no_session_created: { status: 422, error: 'No session created' },
  cannot_wake: { status: 422, error: 'Cannot arm wake' },
  maintenance_refused: { status: 422, error: 'Refused' },
  invalid_transition: { status: 422, error: 'Invalid transition' },
  too_many_notifications: { status: 429, error: 'Too many notifications' },
  burst_suppressed: { status: 429, error: 'Burst suppressed' },
  too_many_wrong_keys: { status: 429, error: 'Too many requests' },
  maintenance_cooldown: { status: 429, error: 'Rate limited' },
  headers_too_large: { status: 431, error: 'Headers too large' },
  malformed_request: { status: 400, error: 'Bad Request' },
  fault: { status: 500, error: 'Internal Server Error' },
  unavailable: { status: 503, error: 'Service unavailable' },
  too_many_downloads: { status: 503, error: 'Too many downloads' },
  chat_unconfigured: { status: 503, error: 'Chat is not configured' },
  /** Answered with the platform's own text as label. */
  chat_failed: { status: 503, error: 'Chat failed' },
  cooldown_unavailable: { status: 503, error: 'Rate limiting unavailable' },
  recovery_mode_unavailable: { status: 503, error: 'Queue recovery mode unavailable' },
  forge_unconfigured: { status: 503, error: 'Forge is not configured' },
} as const satisfies Record<string, { status: number; error: string }>

export type RefusalKind = keyof typeof refusals
