import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { call, type Input } from '../../shared/api/client.ts'
import { useWrite } from '../../shared/api/hooks.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useIsLeft } from '../../shared/kit/use-is-left.ts'
import { useRequestKey } from '../../shared/state/use-request-key.ts'
import { sayStarted } from './say-started.tsx'
import { warningsOf } from './warnings-of.ts'

type Request = Omit<Input<'sessions.create'>, 'idempotency_key'>

/** Creates a session once however often it is pressed, then shows it. */
export function useCreateSession(onCreated: () => void) {
  const navigate = useNavigate()
  const toasts = useToasts()
  const { keyOf } = useRequestKey()
  const category = useRef('')
  const isLeft = useIsLeft()
  const create = useWrite('sessions.create', {
    complains: false,
    onSuccess: async (answer) => {
      const { session } = answer
      onCreated()
      for (const warning of warningsOf(answer)) toasts.say(warning)
      if (category.current !== '') {
        await call('sessions.set_category', { id: String(session.id), category_id: Number(category.current) }).catch(
          (error: unknown) => toasts.complain(error),
        )
      }
      if (isLeft.current) sayStarted(toasts, session)
      else await navigate({ to: '/sessions/$id', params: { id: String(session.id) } })
    },
  })
  const start = (request: Request, categoryId = '') => {
    category.current = categoryId
    create.mutate({ ...request, idempotency_key: keyOf(request) })
  }
  return { start, isPending: create.isPending, error: create.error }
}
