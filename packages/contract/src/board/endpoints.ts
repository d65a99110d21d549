import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { OneSession, SessionWithMessage } from '../lifecycle/fields.ts'
import {
  CardOrder,
  CategoryChoice,
  ChangedNotes,
  NotesChange,
  OrderedCards,
  ToggledFavorite,
  VisibilityChange,
} from './fields.ts'
import { Board, BoardQuery, BoardSummary } from './read.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const updateNotes = defineEndpoint({
  name: 'sessions.update_notes',
  auth: 'api_key',
  method: 'PATCH',
  path: '/sessions/{id}/notes',
  tag,
  summary: 'Write notes about a session',
  params,
  body: NotesChange,
  answers: { 200: ChangedNotes },
  refusals: ['missing_parameter', 'notes_too_long', 'notes_changed'],
})

export const setCategory = defineEndpoint({
  name: 'sessions.set_category',
  auth: 'api_key',
  method: 'PATCH',
  path: '/sessions/{id}/set_category',
  tag,
  summary: 'Move a session to a category',
  description: 'Its card goes to the top of the section.',
  params,
  body: CategoryChoice,
  answers: { 200: SessionWithMessage },
})

export const toggleFavorite = defineEndpoint({
  name: 'sessions.toggle_favorite',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/toggle_favorite',
  tag,
  summary: 'Toggle whether a session is a favourite',
  params,
  answers: { 200: ToggledFavorite },
})

export const updateVisibility = defineEndpoint({
  name: 'sessions.update_visibility',
  auth: 'api_key',
  method: 'PATCH',
  path: '/sessions/{id}/visibility',
  tag,
  summary: 'Show, hide or snooze a session on the board',
  description: 'Nothing else changes: scheduling and queues ignore it.',
  params,
  body: VisibilityChange,
  answers: { 200: OneSession },
  refusals: ['visibility_update_failed'],
})

export const reorderSessions = defineEndpoint({
  name: 'sessions.reorder',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/reorder',
  tag,
  summary: 'Put the cards of a section in order',
  description:
    'With `session_id` only that card moves, next to its neighbours in `ids`, from another section if necessary. Without it the listed cards exchange the places they hold.',
  body: CardOrder,
  answers: { 200: OrderedCards },
  refusals: ['not_found'],
})

export const showBoard = defineEndpoint({
  name: 'board.show',
  auth: 'api_key',
  method: 'GET',
  path: '/board',
  tag: 'Board',
  summary: 'Show the board: sections of compact cards',
  description:
    'One read for a page that shows all sessions. A card has what a row of the board shows; a key without a value is left out. Each section names its `total`; `page` and `per_section` choose the cards of each section, and `section` chooses one section. Cards of one section come in the order of the view.',
  query: BoardQuery,
  answers: { 200: Board },
  isTagged: true,
})

export const summariseBoard = defineEndpoint({
  name: 'board.summary',
  auth: 'api_key',
  method: 'GET',
  path: '/board/summary',
  tag: 'Board',
  summary: 'Show the figures above the board',
  answers: { 200: BoardSummary },
  isTagged: true,
})

export const endpoints = [
  showBoard,
  summariseBoard,
  updateNotes,
  setCategory,
  toggleFavorite,
  updateVisibility,
  reorderSessions,
] as const
