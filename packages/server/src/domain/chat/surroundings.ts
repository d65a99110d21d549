import type { Chat } from '../../platform/chat/chat.ts'
import { type ChatMessage, compareTs } from '../../platform/chat/message.ts'
import { unlessRefused } from '../../platform/remote-failed.ts'
import { isOwn, type Surroundings } from './match-message.ts'

const latelySeconds = 6 * 3600
const maxPages = 10

/**
 * Asks the platform about the place of a message. Nothing is stored, so nothing grows with the number of threads. A place that is
 * gone is one where the service has not spoken.
 */
export async function surroundingsOf(chat: Chat, allowedUserIds: readonly string[]): Promise<Surroundings> {
  const self = await chat.self()
  const isEarlierOfOurs = (other: ChatMessage, { ts }: ChatMessage): boolean =>
    isOwn(other, self) && compareTs(other.ts, ts) < 0
  return {
    self,
    allowedUserIds,
    hasSpokenInThread: async (message) => {
      if (message.threadTs === undefined) return false
      const asked = chat.thread(message.channel, message.threadTs, { oldest: '0', maxPages })
      const { parent, replies } = await unlessRefused(asked, { parent: undefined, replies: [] })
      return [...(parent ? [parent] : []), ...replies].some((other) => isEarlierOfOurs(other, message))
    },
    hasPostedLately: async (message) => {
      const oldest = `${Math.floor(Number(message.ts)) - latelySeconds}.000000`
      const recent = await unlessRefused(chat.history(message.channel, { oldest, latest: message.ts, maxPages }), [])
      return recent.some((other) => other.threadTs === undefined && isEarlierOfOurs(other, message))
    },
  }
}
