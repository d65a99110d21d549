import { z } from 'zod'
import { parseJson } from '../../platform/parse-json.ts'
import { isByCodex, readRolloutLine } from './rollout-line.ts'

/**
 * Converts a rollout line to what people see: a user or assistant entry with text, thinking, tool call and result blocks.
 * Undefined if there is nothing to show.
 */
export function readableEntry(line: string): ReadableEntry | undefined {
  const entry = readRolloutLine(line)
  if (!entry || isByCodex(entry)) return undefined
  const { data } = Shown.safeParse(entry.payload)
  return data && readers[entry.type === 'response_item' ? data.type : `${entry.type}.${data.type}`]?.(data)
}

export type ReadableEntry = { type: 'user' | 'assistant'; isMeta?: true; message: { content: ReadableBlock[] } }
export type ReadableBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string }
  | { type: 'image' }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content: string }

const Piece = z.looseObject({ type: z.string().optional(), text: z.string().optional() })

/** The fields of all kinds below; each kind has some of them. */
const Shown = z.object({
  type: z.string().default(''),
  role: z.string().optional(),
  content: z.array(Piece).nullish(),
  summary: z.array(Piece).optional(),
  name: z.string().optional(),
  namespace: z.string().nullish(),
  arguments: z.string().optional(),
  input: z.string().optional(),
  action: z.unknown().optional(),
  call_id: z.string().nullish(),
  output: z.union([z.string(), z.array(Piece), z.record(z.string(), z.unknown())]).optional(),
  author: z.string().optional(),
  message: z.string().optional(),
  reason: z.string().optional(),
  error: z.object({ message: z.string() }).nullish(),
})
type Shown = z.infer<typeof Shown>

const readers: Record<string, (shown: Shown) => ReadableEntry | undefined> = {
  message: ({ role, content }) => entryOf(role === 'assistant' ? 'assistant' : 'user', blocks(content)),
  agent_message: ({ author, content }) => notice(`${author ?? 'Another agent'} says: ${textOf(content)}`),
  reasoning: ({ summary, content }) => {
    const thinking = [textOf(summary), textOf(content)].filter(Boolean).join('\n')
    return entryOf('assistant', thinking === '' ? [] : [{ type: 'thinking', thinking }])
  },
  function_call: (shown) => call(shown, parsed(shown.arguments)),
  custom_tool_call: (shown) => call(shown, shown.input),
  local_shell_call: (shown) => call({ ...shown, name: 'shell' }, shown.action),
  web_search_call: (shown) => call({ ...shown, name: 'web_search' }, shown.action),
  function_call_output: result,
  custom_tool_call_output: result,
  'event_msg.turn_aborted': ({ reason }) => notice(`The turn was ended early (${reason ?? 'no reason given'}).`),
  'event_msg.task_complete': ({ error }) => (error ? notice(`The turn failed. ${error.message}`) : undefined),
  'event_msg.error': ({ message }) => notice(message ?? 'Codex reported an error without a message.'),
  'compacted.': ({ message }) => notice(`The conversation so far was summarized. ${message ?? ''}`.trim()),
}

function entryOf(type: 'user' | 'assistant', content: ReadableBlock[]): ReadableEntry | undefined {
  return content.length === 0 ? undefined : { type, message: { content } }
}

function notice(text: string): ReadableEntry {
  return { type: 'user', isMeta: true, message: { content: [{ type: 'text', text }] } }
}

function call({ name = 'unknown', namespace, call_id: id }: Shown, input: unknown): ReadableEntry | undefined {
  const fullName = namespace ? `${namespace}.${name}` : name
  return entryOf('assistant', [{ type: 'tool_use', id: id ?? '', name: fullName, input: input ?? {} }])
}

function result({ call_id: id, output }: Shown): ReadableEntry | undefined {
  const content = typeof output === 'string' ? output : Array.isArray(output) ? textOf(output) : JSON.stringify(output)
  return entryOf('user', [{ type: 'tool_result', tool_use_id: id ?? '', content: content ?? '' }])
}

type Pieces = z.infer<typeof Piece>[] | null | undefined

function blocks(pieces: Pieces): ReadableBlock[] {
  return (pieces ?? []).map((piece) =>
    piece.type?.endsWith('_image') ? { type: 'image' } : { type: 'text', text: piece.text ?? '' },
  )
}

function textOf(pieces: Pieces): string {
  return (pieces ?? [])
    .flatMap(({ text, encrypted_content: encrypted }) => text ?? (encrypted ? '[encrypted]' : []))
    .join('\n')
}

function parsed(json: string | undefined): unknown {
  return parseJson(json ?? '{}') ?? json
}
