import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { call, type Result } from '../../shared/api/client.ts'
import { keyOf } from '../../shared/api/hooks.ts'
import { readable } from '../../shared/kit/readable.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useLiveEvent } from '../../shared/live/live.tsx'
import { draftNames, dropDrafts, putDraft } from '../../shared/state/draft.ts'
import { draftOfAnswer } from './draft-of-answer.ts'

const endings = {
  accept: 'was accepted elsewhere',
  decline: 'was declined elsewhere',
  cancel: 'was dismissed elsewhere',
  expired: 'expired without an answer',
}

/** Says why a question leaves the page that someone else answered, and forgets what was filled in: it may be a secret. */
export default function OthersAnswers(): null {
  const cache = useQueryClient()
  const { pathname } = useLocation()
  const toasts = useToasts()
  useEffect(() => void dropAnswersOfEnded().catch(() => undefined), [])
  useLiveEvent('elicitation.resolved', ({ data: { elicitation_id, status } }) => {
    const question = questionsOnPage(cache, pathname).find(({ id }) => id === elicitation_id)
    const isOwn = cache
      .getMutationCache()
      .getAll()
      .some(({ state: { variables } }) => isAnswerTo(variables, elicitation_id))
    if (question && !isOwn) toasts.say(`“${readable(question.message)}” ${endings[status]}`)
    putDraft(draftOfAnswer(elicitation_id), '')
  })
  return null
}

/** Every page knows what waits for a person; the inbox shows it, and the board what is of its rows. */
function questionsOnPage(cache: QueryClient, pathname: string) {
  const ofSessions = cache.getQueriesData<Result<'elicitations.list'>>({
    queryKey: keyOf('elicitations.list'),
    type: 'active',
  })
  const ofAll = cache.getQueryData<Result<'needs_you.show'>>(keyOf('needs_you.show', {}))?.sessions ?? []
  const rows = onBoard(cache)
  const shown = pathname === '/inbox' ? ofAll : ofAll.filter(({ card }) => rows.has(card.id))
  return [...ofSessions.map(([, listed]) => listed), ...shown].flatMap((each) => each?.elicitations ?? [])
}

/** The sessions of the board, if it is on the page: it may be filtered. */
function onBoard(cache: QueryClient): ReadonlySet<number> {
  const boards = cache.getQueriesData<Result<'board.show'>>({ queryKey: keyOf('board.show'), type: 'active' })
  return new Set(boards.flatMap(([, board]) => board?.sections.flatMap(({ cards }) => cards.map(({ id }) => id)) ?? []))
}

function isAnswerTo(variables: unknown, id: number): boolean {
  const sent = Object(variables) as { id?: unknown; action_type?: unknown }
  return sent.id === String(id) && sent.action_type !== undefined
}

/** For questions that ended while this browser showed no page. */
async function dropAnswersOfEnded(): Promise<void> {
  const filledIn = draftNames().filter((name) => name.startsWith(draftOfAnswer('')))
  if (filledIn.length === 0) return
  const { elicitations, pagination } = await call('elicitations.list', { status: 'pending', per_page: 100 })
  // What is not on the first page may still be asked.
  if (pagination.total_pages > 1) return
  const asked = new Set(elicitations.map(({ id }) => draftOfAnswer(id)))
  dropDrafts((name) => filledIn.includes(name) && !asked.has(name))
}
