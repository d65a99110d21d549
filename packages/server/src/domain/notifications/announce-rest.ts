import { transact } from '../../platform/db/transact.ts'
import { handleJob } from '../app.ts'
import { lockSessionIfThere, selectLastTransition } from '../sessions/session.ts'
import { lastAssistantText } from '../transcripts/transcript.ts'
import { announceRestJob } from './announce-rest-job.ts'
import { notify } from './notify.ts'

/** The session's row lock keeps it from moving on between the check and the notification. */
export const announceRest = handleJob(announceRestJob, async ({ sessionId, transitionId, position }, app) => {
  const said = await lastAssistantText(app.db, sessionId)
  await transact(app.db, async (tx) => {
    const session = await lockSessionIfThere(tx, { id: sessionId })
    if (!session || (await selectLastTransition(tx, sessionId))?.id !== transitionId) return
    await notify(app, tx, {
      session,
      type: 'needs_input',
      body: said || 'Needs your input',
      marker: `transition:${transitionId}`,
      position,
    })
  })
})
