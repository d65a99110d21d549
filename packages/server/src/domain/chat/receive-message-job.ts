import { defineJob } from '../../platform/jobs/job.ts'
import { StoredMessage } from './chat-message.ts'

/** Fires the triggers that wait for a message which a webhook delivered. */
export const receiveMessageJob = defineJob({
  name: 'receive_chat_message',
  queue: 'pollers',
  payload: StoredMessage,
  attempts: 10,
})
