import {
  CardOrder,
  CategoryChoice,
  ChangedNotes,
  NotesChange,
  OrderedCards,
  ToggledFavorite,
  VisibilityChange,
} from '@yardmaster/contract/board/fields'
import { SessionRef } from '@yardmaster/contract/identifiers'
import { OneSession, SessionWithMessage } from '@yardmaster/contract/lifecycle/fields'
import { z } from 'zod'
import { ok } from '../../platform/http/answer.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import { defineEndpoint } from '../app.ts'
import { changeNotes } from './notes.ts'
import { reorderCards } from './reorder.ts'
import { setCategory } from './set-category.ts'
import { toggleFavorite } from './toggle-favorite.ts'
import { changeVisibility } from './visibility.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const endpoints = [
  defineEndpoint({
    method: 'PATCH',
    path: '/sessions/{id}/notes',
    tag,
    summary: 'Write notes about a session',
    params,
    body: NotesChange,
    answers: { 200: ChangedNotes },
    refusals: ['missing_parameter', 'notes_too_long'],
    handle: async ({ params, body }, app) => {
      const session = await changeNotes(app, params.id, body.session_notes)
      return ok({ session, session_notes_updated_at: session.session_notes_updated_at })
    },
  }),
  defineEndpoint({
    method: 'PATCH',
    path: '/sessions/{id}/set_category',
    tag,
    summary: 'Put a session into a category',
    description: 'Its card goes to the top of the section.',
    params,
    body: CategoryChoice,
    answers: { 200: SessionWithMessage },
    handle: async ({ params, body }, app) => ok(await setCategory(app, params.id, body.category_id)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions/{id}/toggle_favorite',
    tag,
    summary: 'Make a session a favourite, or no longer one',
    params,
    answers: { 200: ToggledFavorite },
    handle: async ({ params }, app) => {
      const session = await toggleFavorite(app, params.id)
      return ok({ session, favorited: session.favorited })
    },
  }),
  defineEndpoint({
    method: 'PATCH',
    path: '/sessions/{id}/visibility',
    tag,
    summary: 'Show, hide or snooze a session on the board',
    description: 'Nothing else changes: no scheduler and no queue looks at it.',
    params,
    body: VisibilityChange,
    answers: { 200: OneSession },
    refusals: ['visibility_update_failed'],
    handle: async ({ params, body }, app) => ok({ session: await changeVisibility(app, params.id, body) }),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions/reorder',
    tag,
    summary: 'Put the cards of a section in order',
    description:
      'With `session_id` only that card moves, next to its neighbours in `ids`, from another section if need be. Without it the listed cards are dealt into the places they hold together.',
    body: CardOrder,
    answers: { 200: OrderedCards },
    refusals: ['not_found'],
    handle: async ({ body }, app) => {
      const { session_id: said, ...order } = body
      return ok(await reorderCards(app, { ...order, moved: readMoved(said) }))
    },
  }),
]

function readMoved(said: string | number | null | undefined): SessionRef | undefined {
  if (said === undefined || said === null || said === '') return undefined
  return SessionRef.safeParse(String(said)).data ?? refuseMissing()
}
