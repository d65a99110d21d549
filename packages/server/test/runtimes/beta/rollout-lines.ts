/** Rollout lines of codex 0.166.0, reduced to the fields that the driver reads. */

export const thread = '01a1dda1-a740-7af1-9252-fcc77f284594'
const turn = '01a1dda1-a754-70c2-a646-5a3ef599ef0c'

export function rolloutLine(type: string, payload: unknown, rest: Record<string, unknown> = {}): string {
  return JSON.stringify({ timestamp: '2026-11-15T05:15:21.284Z', ordinal: 0, type, payload, ...rest })
}

export function message(role: string, text: string, kinds?: string[]): string {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  return rolloutLine('response_item', {
    type: 'message',
    role,
    content: [{ type, text }],
    ...(kinds && { internal_chat_message_metadata_passthrough: { turn_id: turn, content_item_kinds: kinds } }),
  })
}

export const lines = {
  head: rolloutLine('session_meta', {
    id: thread,
    session_id: thread,
    cwd: '/old',
    base_instructions: { text: 'You are' },
  }),
  started: rolloutLine('event_msg', { type: 'task_started', turn_id: turn }),
  tools: rolloutLine('response_item', { type: 'additional_tools', role: 'developer', tools: [] }),
  developer: message('developer', '<skills_instructions>', ['host_skills.instructions']),
  environment: message('user', '<environment_context>\n</environment_context>', ['environments.environment_context']),
  worldState: rolloutLine('world_state', { full: true, state: {} }),
  context: rolloutLine('turn_context', { turn_id: turn, model: 'gpt-6.1-sol', cwd: '/old' }),
  settings: rolloutLine('event_msg', { type: 'thread_settings_applied', thread_id: thread }),
  prompt: message('user', '<b>Do it</b>', ['user.text']),
  item: rolloutLine('event_msg', { type: 'item_completed', thread_id: thread, item: { type: 'UserMessage' } }),
  thought: rolloutLine('response_item', {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Hm' }],
    content: null,
  }),
  call: rolloutLine('response_item', {
    type: 'function_call',
    name: 'exec_command',
    arguments: '{"cmd":"ls"}',
    call_id: 'call_1',
  }),
  result: rolloutLine('response_item', { type: 'function_call_output', call_id: 'call_1', output: 'README.md' }),
  customCall: rolloutLine('response_item', {
    type: 'custom_tool_call',
    name: 'exec',
    namespace: 'functions',
    input: 'text(1)',
    call_id: 'call_2',
  }),
  usage: rolloutLine('token_usage_record', {
    thread_id: thread,
    session_id: thread,
    turn_id: turn,
    response_id: 'resp_1',
    usage: {
      input_tokens: 1000,
      cached_input_tokens: 300,
      cache_write_input_tokens: 100,
      output_tokens: 50,
      reasoning_output_tokens: 20,
    },
    thread_token_usage: { input_tokens: 99_000, output_tokens: 9000 },
  }),
  count: rolloutLine('event_msg', { type: 'token_count', info: null }),
  answer: message('assistant', 'Done.', ['unknown']),
  aborted: message('developer', '<turn_aborted>\nThe user interrupted', ['generic.turn_aborted']),
  completed: rolloutLine('event_msg', { type: 'task_complete', turn_id: turn }),
}
