import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Pager } from '../../shared/kit/pager.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

/** Messages that never reached the agent: an archive or a restart took them out of the queue. */
export function UndeliveredMessages({ id }: { id: string }): ReactNode {
  const toasts = useToasts()
  const [page, setPage] = useState(1)
  const input = { session_id: id, status: 'undelivered', page, per_page: 100 } as const
  const { data, error, refetch } = useRead('enqueued_messages.list', input)
  const remove = useWrite('enqueued_messages.delete')
  const queue = useWrite('enqueued_messages.create', { refreshes: ['sessions', 'board'] })
  const messages = data?.enqueued_messages ?? []
  if (!data && error) return <ErrorNote error={error} onRetry={() => refetch()} />
  if (!data || data.pagination.total_count === 0) return null
  return (
    <section aria-label="Undelivered messages" className="mt-2 border-line border-t">
      <h3 className="px-3 pt-3 pb-1 font-semibold text-sm">Undelivered</h3>
      <p className="px-3 pb-1 text-muted text-sm">The agent never got these.</p>
      <ul>
        {messages.map((message) => (
          <li key={message.id} className="flex min-w-0 items-start gap-1.5 border-line border-b px-3 py-2">
            <p className="line-clamp-4 min-w-0 grow whitespace-pre-wrap break-words text-muted">{message.content}</p>
            <Button
              size="sm"
              icon="undo-2"
              isBusy={queue.isPending}
              onClick={() =>
                queue.mutate(
                  { session_id: id, content: message.content, goal: message.goal },
                  {
                    onSuccess: () => {
                      remove.mutate({ session_id: id, id: String(message.id) })
                      toasts.say('Back in the queue')
                    },
                  },
                )
              }
            >
              Put back
            </Button>
            <IconButton
              size="sm"
              icon="trash-2"
              label="Delete the undelivered message"
              onClick={() => remove.mutate({ session_id: id, id: String(message.id) })}
            />
          </li>
        ))}
      </ul>
      <Pager of={data.pagination} onPage={setPage} />
    </section>
  )
}
