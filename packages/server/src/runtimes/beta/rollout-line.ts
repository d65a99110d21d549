import { z } from 'zod'
import { parseJson } from '../../platform/parse-json.ts'

/** The fields of a rollout line that the driver uses. Versions add other kinds of lines. */
const RolloutLine = z.looseObject({
  timestamp: z.string().optional(),
  type: z.string(),
  payload: z.looseObject({ type: z.string().optional() }),
})
export type RolloutLine = z.infer<typeof RolloutLine>

export function readRolloutLine(line: string): RolloutLine | undefined {
  return RolloutLine.safeParse(parseJson(line)).data
}

const Message = z.object({
  role: z.string(),
  content: z.array(z.looseObject({ text: z.string().optional() })),
  internal_chat_message_metadata_passthrough: z
    .object({ content_item_kinds: z.array(z.string()).optional() })
    .nullish(),
})

/** Whether codex wrote the message itself, in the name of the user or the developer. */
export function isByCodex({ type, payload }: RolloutLine): boolean {
  if (type !== 'response_item') return false
  if (payload.type === 'additional_tools') return true
  const { data } = payload.type === 'message' ? Message.safeParse(payload) : { data: undefined }
  if (!data || data.role === 'assistant') return false
  const kinds = data.internal_chat_message_metadata_passthrough?.content_item_kinds
  // Older versions do not mark their messages; they wrap them in an XML element.
  if (kinds) return !kinds.some((kind) => kind.startsWith('user.'))
  return data.role !== 'user' || data.content.every(({ text }) => text?.trimStart().startsWith('<'))
}

/** Codex's prompts, tools and environment, which it regenerates. The note of an aborted turn is not part of them. */
export function isContext(line: RolloutLine): boolean {
  return isByCodex(line) && !JSON.stringify(line.payload.content ?? '').includes('<turn_aborted>')
}

export function isByUser(line: RolloutLine): boolean {
  return (
    line.type === 'response_item' && line.payload.type === 'message' && line.payload.role === 'user' && !isByCodex(line)
  )
}
