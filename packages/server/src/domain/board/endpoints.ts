import * as contract from '@yardmaster/contract/board/endpoints'
import { SessionRef } from '@yardmaster/contract/identifiers'
import { ok } from '../../platform/http/answer.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import { bind } from '../app.ts'
import { changeNotes } from './notes.ts'
import { reorderCards } from './reorder.ts'
import { setCategory } from './set-category.ts'
import { toggleFavorite } from './toggle-favorite.ts'
import { changeVisibility } from './visibility.ts'

export const endpoints = [
  bind(contract.updateNotes, async ({ params, body }, app) => {
    const session = await changeNotes(app, params.id, body.session_notes)
    return ok({ session, session_notes_updated_at: session.session_notes_updated_at })
  }),
  bind(contract.setCategory, async ({ params, body }, app) => ok(await setCategory(app, params.id, body.category_id))),
  bind(contract.toggleFavorite, async ({ params }, app) => {
    const session = await toggleFavorite(app, params.id)
    return ok({ session, favorited: session.favorited })
  }),
  bind(contract.updateVisibility, async ({ params, body }, app) =>
    ok({ session: await changeVisibility(app, params.id, body) }),
  ),
  bind(contract.reorderSessions, async ({ body }, app) => {
    const { session_id: said, ...order } = body
    return ok(await reorderCards(app, { ...order, moved: readMoved(said) }))
  }),
]

function readMoved(said: string | number | null | undefined): SessionRef | undefined {
  if (said === undefined || said === null || said === '') return undefined
  return SessionRef.safeParse(String(said)).data ?? refuseMissing()
}
