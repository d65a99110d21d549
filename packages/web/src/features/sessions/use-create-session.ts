import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { call, type Input } from '../../shared/api/client.ts'
import { useWrite } from '../../shared/api/hooks.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'

type Request = Omit<Input<'sessions.create'>, 'idempotency_key'>

/** Creates a session once however often it is pressed, then shows it. */
export function useCreateSession(onCreated: () => void) {
  const navigate = useNavigate()
  const toasts = useToasts()
  const used = useRef({ content: '', key: '' })
  const category = useRef('')
  const create = useWrite('sessions.create', {
    complains: false,
    onSuccess: async (answer) => {
      const { session } = answer
      onCreated()
      if ('warnings' in answer) for (const warning of answer.warnings ?? []) toasts.say(warning)
      if (category.current !== '') {
        await call('sessions.set_category', { id: String(session.id), category_id: Number(category.current) }).catch(
          (error: unknown) => toasts.complain(error),
        )
      }
      await navigate({ to: '/sessions/$id', params: { id: String(session.id) } })
    },
  })
  const start = (request: Request, categoryId = '') => {
    const content = JSON.stringify(request)
    // The same content is the same session: a double click, or a second try after the answer was lost.
    if (used.current.content !== content) used.current = { content, key: crypto.randomUUID() }
    category.current = categoryId
    create.mutate({ ...request, idempotency_key: used.current.key })
  }
  return { start, isPending: create.isPending, error: create.error }
}
