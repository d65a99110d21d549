import { z } from 'zod'
import { ChannelId, readMessage, WireMessage } from '../../platform/chat/message.ts'
import { acceptDelivery } from '../../platform/webhooks/accept-delivery.ts'
import type { App } from '../app.ts'
import { receiveMessageJob } from './receive-message-job.ts'

const Challenge = z.object({ type: z.literal('url_verification'), challenge: z.string().max(1000) })

const Delivery = z.object({
  type: z.literal('event_callback'),
  event_id: z.string().min(1).max(255),
  event: z.object({ type: z.enum(['message', 'app_mention']), channel: ChannelId, ...WireMessage.shape }),
})

type Receipt = { status: 'accepted' | 'duplicate' | 'ignored' } | { challenge: string }

/**
 * Stores the job that handles the event, once for each event, and answers at once. The platform repeats an event that was
 * not answered in time: the second one is answered as a duplicate, so that the platform stops.
 */
export async function receiveEvent(app: App, body: unknown): Promise<Receipt> {
  const challenge = Challenge.safeParse(body)
  if (challenge.success) return { challenge: challenge.data.challenge }
  const delivery = Delivery.safeParse(body)
  if (!delivery.success) return { status: 'ignored' }
  const { event_id: eventId, event } = delivery.data
  const accepting = { source: 'chat', job: receiveMessageJob } as const
  const isNew = await acceptDelivery(app, accepting, { id: eventId, payload: readMessage(event.channel, event) })
  return { status: isNew ? 'accepted' : 'duplicate' }
}
