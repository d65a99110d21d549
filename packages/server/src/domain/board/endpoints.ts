import * as contract from '@yardmaster/contract/board/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { changeNotes } from './notes.ts'
import { reorderCards } from './reorder.ts'
import { setCategory } from './set-category.ts'
import { showBoard } from './show-board.ts'
import { summariseBoard } from './summarise-board.ts'
import { toggleFavorite } from './toggle-favorite.ts'
import { changeVisibility } from './visibility.ts'

export const endpoints = [
  bind(contract.showBoard, async ({ query }, app) => ok(await showBoard(app, query))),
  bind(contract.summariseBoard, async (_request, app) => ok(await summariseBoard(app))),
  bind(contract.updateNotes, async ({ params, body }, app) => {
    const session = await changeNotes(app, params.id, body)
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
    const { ids, category_id: section, session_id: moved } = body
    return ok(await reorderCards(app, { ids, section, moved }))
  }),
]
