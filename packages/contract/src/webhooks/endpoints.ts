import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'

const tag = 'Webhooks'

/** The platform decides what it sends; the server reads the events it knows and ignores the others. */
const body = z.looseObject({}).meta({ description: 'The event, as the platform sends it.' })

const Receipt = z.object({
  status: z.enum(['accepted', 'duplicate', 'ignored']).meta({
    description:
      '`accepted`: triggers that match it fire in a moment. `duplicate`: it was accepted before. `ignored`: no trigger can wait for an event of this kind.',
  }),
})

const Challenge = z.object({
  challenge: z.string().meta({ description: 'Repeated when the platform verifies the address.' }),
})

export const receiveChatEvent = defineEndpoint({
  name: 'webhooks.chat',
  auth: 'webhook',
  signedBy: 'chat',
  method: 'POST',
  path: '/webhooks/chat',
  tag,
  summary: 'Receive an event of the chat platform',
  description:
    'Called by the chat platform. The request carries its signature (`x-slack-signature`, `x-slack-request-timestamp`) over the raw body, not older than 5 minutes.',
  body,
  bodyLimitBytes: limits.webhookBytes,
  answers: {
    200: z.union([Receipt, Challenge]),
  },
})

export const receiveForgeEvent = defineEndpoint({
  name: 'webhooks.forge',
  auth: 'webhook',
  signedBy: 'forge',
  method: 'POST',
  path: '/webhooks/forge',
  tag,
  summary: 'Receive an event of the forge',
  description:
    'Called by the forge. The request carries its signature over the raw body (`x-hub-signature-256`) and the id of the delivery (`x-github-delivery`). A delivery that was accepted before is refused with 409.',
  body,
  bodyLimitBytes: limits.webhookBytes,
  answers: { 200: Receipt },
  refusals: ['delivery_replayed', 'missing_parameter'],
})

export const endpoints = [receiveChatEvent, receiveForgeEvent] as const
