import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call, type Result } from '../../shared/api/client.ts'
import { keyOf, useRead, useWrite } from '../../shared/api/hooks.ts'
import { showInLists } from '../../shared/api/rows-at-once.ts'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Pager } from '../../shared/kit/pager.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { appendToDraft } from '../../shared/state/append-to-draft.ts'
import { dropEdits } from '../../shared/state/draft.ts'
import { editOf, type Message, QueuedMessage } from './queued-message.tsx'
import { UndeliveredMessages } from './undelivered-messages.tsx'

type List = Result<'enqueued_messages.list'>

type QueuePanelProps = { id: string; sessionId: number; isWorking: boolean; isArchived: boolean }

/** What the session is told next, in order. */
export default function QueuePanel({ id, sessionId, isWorking, isArchived }: QueuePanelProps): ReactNode {
  const toasts = useToasts()
  const [page, setPage] = useState(1)
  // The first page is the read of the composer, which counts the queue.
  const input = { session_id: id, status: 'pending', per_page: 100, ...(page > 1 && { page }) } as const
  const read = useRead('enqueued_messages.list', input)
  const pagination = read.data?.pagination
  const count = pagination?.total_count ?? 0
  const before = pagination ? (pagination.page - 1) * pagination.per_page : 0
  const messages = inOrder(read.data?.enqueued_messages)
  const [dragged, setDragged] = useState<number>()
  const known = useRef(new Set<string>())
  useEffect(() => {
    if (!read.data) return
    const kept = takeEditsOfSent(sessionId, read.data).filter((text) => text !== '' && !known.current.has(text))
    known.current = new Set(read.data.enqueued_messages.map(({ content }) => content))
    if (kept.length === 0) return
    appendToDraft(`session.${sessionId}`, kept.join('\n\n'))
    toasts.say('The message left the queue before your change was saved. Your text is in the composer.')
  }, [sessionId, read.data, toasts])
  const alsoShown = { refreshes: ['sessions', 'turns', 'board'] } as const

  const reorder = useWrite('enqueued_messages.reorder', {
    optimistic(cache, { id: moved, position }) {
      const showAt = (place: number) =>
        cache.setQueryData<List>(
          keyOf('enqueued_messages.list', input),
          (list) =>
            list && {
              ...list,
              enqueued_messages: movedTo(inOrder(list.enqueued_messages), Number(moved), place, before),
            },
        )
      const from = before + messages.findIndex((one) => one.id === Number(moved)) + 1
      showAt(Number(position))
      return () => showAt(from)
    },
  })
  const sendNow = useWrite('enqueued_messages.interrupt', {
    ...alsoShown,
    onSuccess: ({ message }) => toasts.say(message),
  })
  const remove = useWrite('enqueued_messages.delete', {
    ...alsoShown,
    optimistic: (cache, { id: removed }) =>
      showInLists(cache, { name: 'enqueued_messages.list', part: 'enqueued_messages' }, (row) =>
        row.id === Number(removed) ? undefined : row,
      ),
  })
  const restore = async ({ content, goal, position }: Message) => {
    try {
      const { enqueued_message } = await call('enqueued_messages.create', { session_id: id, content, goal })
      await call('enqueued_messages.reorder', { session_id: id, id: String(enqueued_message.id), position })
    } catch (error) {
      toasts.complain(error)
    }
    void read.refetch()
  }
  const place = (message: Message, position: number) => {
    // Not its `position`: above it may be one that the server has not deleted yet.
    if (position < 1 || position > count || position === before + messages.indexOf(message) + 1) return
    reorder.mutate({ session_id: id, id: String(message.id), position })
  }

  if (read.error)
    return (
      <div className="p-3">
        <ErrorNote error={read.error} onRetry={() => read.refetch()} />
      </div>
    )
  if (read.isLoading) return <Skeleton rows={3} />
  return (
    <div className="flex flex-col">
      {count === 0 && (
        <EmptyState icon="list-ordered" title="The queue is empty">
          {nextStep(isWorking, isArchived)}
        </EmptyState>
      )}
      <ol aria-label="Queue">
        {messages.map((message, index) => (
          <QueuedMessage
            key={message.id}
            message={message}
            place={before + index + 1}
            count={count}
            isDragged={dragged === message.id}
            onDragStart={() => setDragged(message.id)}
            onDragEnd={() => setDragged(undefined)}
            onDropHere={() => {
              const moved = messages.find((one) => one.id === dragged)
              if (moved) place(moved, before + index + 1)
              setDragged(undefined)
            }}
            onPlace={(position) => place(message, position)}
            onSendNow={() => sendNow.mutate({ session_id: id, id: String(message.id) })}
            onDelete={() =>
              remove.mutate(
                { session_id: id, id: String(message.id) },
                { onSuccess: () => toasts.say('Deleted', { undo: () => void restore(message) }) },
              )
            }
            isWorking={isWorking}
          />
        ))}
      </ol>
      {pagination && <Pager of={pagination} onPage={setPage} />}
      <UndeliveredMessages id={id} />
    </div>
  )
}

/** Changes that someone was writing to messages which were sent or deleted meanwhile. */
function takeEditsOfSent(sessionId: number, { enqueued_messages, pagination }: List): string[] {
  // Messages of other pages may be edited too.
  if (pagination.total_pages > 1 || pagination.page > 1) return []
  const kept = new Set(enqueued_messages.map(editOf))
  const ofSession = editOf({ session_id: sessionId, id: '' })
  return dropEdits((name) => name.startsWith(ofSession) && !kept.has(name))
}

/** A page of the queue, which has so many messages before it. What moves to another page leaves this one. */
function inOrder(messages: readonly Message[] = []): Message[] {
  return messages.toSorted((a, b) => a.position - b.position)
}

function movedTo(messages: readonly Message[], id: number, position: number, before: number): Message[] {
  const moved = messages.find((one) => one.id === id)
  if (!moved) return [...messages]
  const [others, index] = [messages.filter((one) => one !== moved), position - 1 - before]
  const isHere = index >= 0 && index < messages.length
  return (isHere ? others.toSpliced(index, 0, moved) : others).map((one, index) => ({
    ...one,
    position: before + index + 1,
  }))
}

function nextStep(isWorking: boolean, isArchived: boolean): string {
  if (isArchived) return 'An archived session takes no messages. Unarchive it to write to it.'
  return isWorking
    ? 'What you write below waits here until the turn ends.'
    : 'What you write below starts the next turn.'
}
