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

/** Every page knows what waits for a person; these two show it. Other pages show the questions of one session. */
const showAllQuestions = new Set(['/', '/inbox'])

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

function questionsOnPage(cache: QueryClient, pathname: string) {
  const ofSessions = cache.getQueriesData<Result<'elicitations.list'>>({
    queryKey: keyOf('elicitations.list'),
    type: 'active',
  })
  const ofAll = showAllQuestions.has(pathname)
    ? cache.getQueryData<Result<'needs_you.show'>>(keyOf('needs_you.show', {}))
    : undefined
  return [...ofSessions.map(([, listed]) => listed), ...(ofAll?.sessions ?? [])].flatMap(
    (each) => each?.elicitations ?? [],
  )
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
