import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'

const Channel = z
  .object({
    id: z.string().meta({ description: 'What a condition names as `channel_id`.', examples: ['C01ABC'] }),
    name: z.string().meta({ description: 'Its name, without the number sign.', examples: ['alerts'] }),
    is_private: z.boolean().meta({ description: 'Whether only its members can see it.' }),
    num_members: z.int().meta({ description: 'How many people and apps are in it.' }),
  })
  .meta({ id: 'ChatChannel' })

export const listChannels = defineEndpoint({
  name: 'triggers.channels',
  auth: 'api_key',
  method: 'GET',
  path: '/triggers/channels',
  tag: 'Triggers',
  summary: 'List the channels of the chat platform that a condition can name',
  description: 'An error of the platform is answered with 503, and with its own text as `error`.',
  answers: {
    200: z.object({
      channels: z.array(Channel).meta({ description: 'Every channel that the service can see, by name.' }),
    }),
  },
  refusals: ['chat_unconfigured', 'chat_failed'],
})

export const endpoints = [listChannels] as const
