import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { pollChat } from './poll-chat.ts'
import { receiveMessage } from './receive-message.ts'
import { receiveMessageJob } from './receive-message-job.ts'

export const chat: Room = {
  name: 'chat',
  endpoints,
  jobs: [receiveMessageJob],
  handlers: [receiveMessage],
  periodic: [
    {
      name: 'poll_chat',
      queue: 'pollers',
      intervalMs: 60_000,
      runs: 'one_host',
      run: pollChat,
    },
  ],
}
