import type { SessionRef } from '@yardmaster/contract/identifiers'
import { limits } from '@yardmaster/contract/limits'
import { transact } from '../../platform/db/transact.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { selectSessionForReference } from '../sessions/session.ts'
import { notify } from './notify.ts'

/** Tells people what a caller or an agent says about a session. */
export async function sendMessage(
  app: App,
  ref: SessionRef,
  { message, agentOf }: { message: string; agentOf: number | undefined },
): Promise<{ sessionId: number; isNew: boolean }> {
  return transact(app.db, async (tx) => {
    const session = (await selectSessionForReference(tx, ref)) ?? refuseMissing()
    const isNew = await notify(app, tx, {
      session,
      type: 'custom_message',
      body: message,
      ...(agentOf !== undefined && { hourlyLimit: limits.agentMessagesPerHour }),
    })
    return { sessionId: session.id, isNew }
  })
}
