import type { ChatChannel } from '../../platform/chat/chat.ts'
import { refuse } from '../../platform/refusal.ts'
import { RemoteFailed } from '../../platform/remote-failed.ts'
import type { App } from '../app.ts'

/** The channels that a condition can name. An error of the platform is answered in the platform's words. */
export async function listChannels({ chat }: App): Promise<ChatChannel[]> {
  if (!chat.client) return refuse('chat_unconfigured', 'Chat is not configured')
  try {
    return await chat.client.channels()
  } catch (error) {
    if (!(error instanceof RemoteFailed)) throw error
    const { message, retryAfterSeconds } = error
    const beside = { error: message, ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }) }
    return refuse('chat_failed', message, beside)
  }
}
