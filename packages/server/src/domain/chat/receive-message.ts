import { handleJob } from '../app.ts'
import { findConditions } from '../triggers/trigger.ts'
import { unstored } from './chat-message.ts'
import { fireMessages } from './fire-messages.ts'
import { receiveMessageJob } from './receive-message-job.ts'
import { surroundingsOf } from './surroundings.ts'

/** May run twice: a message that has fired a trigger does not fire it again. */
export const receiveMessage = handleJob(receiveMessageJob, async (stored, app) => {
  const { client, allowedUserIds } = app.chat
  const conditions = client ? await findConditions(app.db, ['chat']) : []
  if (!client || conditions.length === 0) return
  const around = await surroundingsOf(client, allowedUserIds)
  await fireMessages(app, client, [unstored(stored)], { conditionsFor: () => conditions, around })
})
