import type { Room } from '../app.ts'
import { checkFeeds } from './check-feeds.ts'
import { checkFeedsJob } from './check-feeds-job.ts'
import { endpoints } from './endpoints.ts'
import { pollChat } from './poll-chat.ts'
import { receiveMessage } from './receive-message.ts'
import { receiveMessageJob } from './receive-message-job.ts'

export const chat: Room = {
  name: 'chat',
  endpoints,
  jobs: [receiveMessageJob, checkFeedsJob],
  handlers: [receiveMessage, checkFeeds],
  cron: [{ schedule: '45 * * * *', job: checkFeedsJob }],
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
