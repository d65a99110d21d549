import { z } from 'zod'
import type { ChatMessage } from '../../platform/chat/message.ts'

/** A message as the payload of a job. */
export const StoredMessage = z.object({
  channel: z.string(),
  ts: z.string(),
  threadTs: z.string().optional(),
  text: z.string(),
  userId: z.string().optional(),
  botId: z.string().optional(),
  subtype: z.string().optional(),
  isDirect: z.boolean(),
})

export function unstored({ threadTs, userId, botId, subtype, ...rest }: z.infer<typeof StoredMessage>): ChatMessage {
  return { ...rest, threadTs, userId, botId, subtype }
}

/** The channel's top level, one thread, or one direct conversation. */
export function conversationOf({ channel, threadTs }: ChatMessage): string {
  return threadTs === undefined ? channel : `${channel}:${threadTs}`
}
