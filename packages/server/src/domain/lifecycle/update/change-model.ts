import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { transact } from '../../../platform/db/transact.ts'
import { refuse } from '../../../platform/refusal.ts'
import type { App } from '../../app.ts'
import { note } from '../../logs/log.ts'
import { lockSession, recordModel, showRow } from '../../sessions/session.ts'

/** Applies from the next turn; a live turn keeps its model. */
export async function changeModel(app: App, ref: SessionRef, value: string | undefined): Promise<Session> {
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    const model = readModel(app, session.agent_runtime, value)
    const { model: old } = session.config
    if (model !== old) {
      await recordModel(tx, session.id, model)
      await note(
        app,
        tx,
        session.id,
        `Model changed from ${String(old)} to ${model}. The change applies from the next turn.`,
      )
    }
    return showRow(app, tx, { id: session.id })
  })
}

function readModel(app: App, runtimeName: string, value: string | undefined): string {
  if (value === undefined) return refuse('missing_parameter', 'model is required')
  if (value.trim() === '') return refuse('invalid_parameter', 'model must be a non-empty string')
  const models = app.runtimes.find(runtimeName)?.models() ?? []
  if (models.some(({ id }) => id === value)) return value
  const valid = models.map(({ id }) => id).join(', ')
  return refuse(
    'invalid_model',
    `model ${JSON.stringify(value)} is not valid for runtime ${runtimeName}. Valid models: ${valid}`,
  )
}
