import { z } from 'zod'

/** A line of a rollout, as far as we have to know it. There are more kinds, and each version has others. */
const RolloutLine = z.looseObject({
  timestamp: z.string().optional(),
  type: z.string(),
  payload: z.looseObject({ type: z.string().optional() }),
})
export type RolloutLine = z.infer<typeof RolloutLine>

export function readRolloutLine(line: string): RolloutLine | undefined {
  try {
    return RolloutLine.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const Said = z.object({
  role: z.string(),
  content: z.array(z.looseObject({ text: z.string().optional() })),
  internal_chat_message_metadata_passthrough: z
    .object({ content_item_kinds: z.array(z.string()).optional() })
    .nullish(),
})

/** A message in the name of the user or of the developer: a person's, or one that codex put there. */
export function isByCodex({ type, payload }: RolloutLine): boolean {
  if (type !== 'response_item') return false
  if (payload.type === 'additional_tools') return true
  const { data } = payload.type === 'message' ? Said.safeParse(payload) : { data: undefined }
  if (!data || data.role === 'assistant') return false
  const kinds = data.internal_chat_message_metadata_passthrough?.content_item_kinds
  // Older versions do not say what a message is; what they put there themselves is an element.
  if (kinds) return !kinds.some((kind) => kind.startsWith('user.'))
  return data.role !== 'user' || data.content.every(({ text }) => text?.trimStart().startsWith('<'))
}

/** Its prompts, tools and surroundings, which it makes anew when it needs them. What became of a turn is not of them. */
export function isContext(line: RolloutLine): boolean {
  return isByCodex(line) && !JSON.stringify(line.payload.content ?? '').includes('<turn_aborted>')
}

export function isByUser(line: RolloutLine): boolean {
  return (
    line.type === 'response_item' && line.payload.type === 'message' && line.payload.role === 'user' && !isByCodex(line)
  )
}
