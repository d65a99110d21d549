import { listChannels as listChannelsContract } from '@yardmaster/contract/triggers/channels'
import { receiveChatEvent } from '@yardmaster/contract/webhooks/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { listChannels } from './list-channels.ts'
import { receiveEvent } from './receive-event.ts'

export const endpoints = [
  bind(receiveChatEvent, async ({ body }, app) => ok(await receiveEvent(app, body))),
  bind(listChannelsContract, async (_request, app) => ok({ channels: await listChannels(app) })),
]
