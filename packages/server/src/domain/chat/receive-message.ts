import type { ChatMessage } from '../../platform/chat/message.ts'
import { handleJob } from '../app.ts'
import { findConditions } from '../triggers/trigger.ts'
import { unstored } from './chat-message.ts'
import { fireMessages } from './fire-messages.ts'
import type { ChatCondition } from './match-message.ts'
import { receiveMessageJob } from './receive-message-job.ts'
import { surroundingsOf } from './surroundings.ts'

/** May run twice: a message that has fired a trigger does not fire it again. */
export const receiveMessage = handleJob(receiveMessageJob, async (stored, app) => {
  const { client, allowedUserIds } = app.chat
  const conditions = client ? await findConditions(app.db, ['chat']) : []
  if (!client || conditions.length === 0) return
  const around = await surroundingsOf(client, allowedUserIds)
  const isArmed = ({ ts }: ChatMessage, { armed_at: armedAt }: ChatCondition): boolean =>
    Math.floor(Number(ts)) >= Math.floor(armedAt.getTime() / 1000)
  await fireMessages(app, client, [unstored(stored)], {
    // A message that is delivered late is not made up for a trigger that was off when it was written.
    conditionsFor: (message) => conditions.filter((condition) => isArmed(message, condition)),
    around,
  })
})
