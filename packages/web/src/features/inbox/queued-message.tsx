import { type ReactNode, type RefObject, useRef } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useWrite } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { useEditorFocus } from '../../shared/kit/editor-focus.ts'
import { Icon } from '../../shared/kit/icon.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { sendingDraft, useEdit } from '../../shared/state/draft.ts'

export type Message = Result<'enqueued_messages.list'>['enqueued_messages'][number]

type QueuedMessageProps = {
  message: Message
  place: number
  count: number
  isWorking: boolean
  isDragged: boolean
  onDragStart: () => void
  onDragEnd: () => void
  onDropHere: () => void
  onPlace: (position: number) => void
  onSendNow: () => void
  onDelete: () => void
}

const origins: Partial<Record<Message['origin'], string>> = {
  automated_pr_merged: 'merged pull request',
  automated_merge_conflict: 'merge conflict',
  automated_recovery_nudge: 'recovery',
}

/** The name of the draft of a message that is being edited. */
export function editOf({ session_id, id }: { session_id: number; id: number | string }): string {
  return `queued.${session_id}.${id}`
}

/** Moved by dragging, by Alt and the arrow keys, and from its menu. */
export function QueuedMessage(props: QueuedMessageProps): ReactNode {
  const { message, place, count, isWorking, isDragged, onDragStart, onDragEnd, onDropHere, onPlace } = props
  const [draft, setDraft] = useEdit(editOf(message))
  const isAsked = useRef(false)
  const edit = () => {
    isAsked.current = true
    setDraft(message.content)
  }
  const origin = origins[message.origin]
  const steps: Record<string, number> = { ArrowUp: place - 1, ArrowDown: place + 1 }
  return (
    <li
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        onDropHere()
      }}
      className={`flex min-w-0 items-start gap-1.5 border-line border-b px-2 py-2 ${isDragged ? 'opacity-50' : 'hover:bg-hover'}`}
    >
      <button
        type="button"
        draggable
        onDragStart={(event) => {
          event.dataTransfer.effectAllowed = 'move'
          event.dataTransfer.setData('text/plain', String(message.id))
          onDragStart()
        }}
        onDragEnd={onDragEnd}
        onKeyDown={(event) => {
          const position = steps[event.key]
          if (!event.altKey || position === undefined) return
          event.preventDefault()
          onPlace(position)
        }}
        aria-label={`Message ${place} of ${count}: drag, or Alt and arrow keys, to move`}
        data-tip="Drag, or Alt + ↑ ↓"
        className="tabular flex h-6 min-w-9 shrink-0 cursor-grab items-center rounded-md text-faint text-sm hover:text-text"
      >
        <Icon name="grip-vertical" size={14} />
        {place}
      </button>
      {draft === undefined ? (
        <div className="min-w-0 grow">
          <p className="line-clamp-4 whitespace-pre-wrap break-words">{message.content}</p>
          <p className="flex flex-wrap items-center gap-1.5 text-muted text-sm">
            <Time at={message.created_at} />
            {origin && <Badge tip="Written by the service">{origin}</Badge>}
            {message.goal && <Badge icon="flag">sets the goal</Badge>}
          </p>
        </div>
      ) : (
        <Editor message={message} draft={draft} onDraft={setDraft} isAsked={isAsked} />
      )}
      {draft === undefined && (
        <span className="flex shrink-0">
          <IconButton size="sm" icon="pencil" label="Edit" onClick={edit} />
          <IconButton
            size="sm"
            icon={isWorking ? 'zap' : 'send'}
            label={isWorking ? 'Send now: stops the running turn' : 'Send now'}
            onClick={props.onSendNow}
          />
          <Menu
            label={`More for message ${place}`}
            items={[
              {
                label: 'Move up',
                icon: 'arrow-up',
                keys: 'alt+arrowup',
                isDisabled: place === 1,
                onSelect: () => onPlace(place - 1),
              },
              {
                label: 'Move down',
                icon: 'arrow-down',
                keys: 'alt+arrowdown',
                isDisabled: place === count,
                onSelect: () => onPlace(place + 1),
              },
              { label: 'Move to the top', isDisabled: place === 1, onSelect: () => onPlace(1) },
              { label: 'Move to the end', isDisabled: place === count, onSelect: () => onPlace(count) },
              'separator',
              { label: 'Delete', icon: 'trash-2', isDanger: true, onSelect: props.onDelete },
            ]}
          />
        </span>
      )}
    </li>
  )
}

type EditorProps = {
  message: Message
  draft: string
  onDraft: (draft: string | undefined) => void
  isAsked: RefObject<boolean>
}

/** The text stays until the server has it, also when the page is left meanwhile. */
function Editor({ message, draft, onDraft, isAsked }: EditorProps): ReactNode {
  const update = useWrite('enqueued_messages.update')
  const editor = useRef<HTMLDivElement>(null)
  useEditorFocus(editor, isAsked, 'Edit')
  const save = () => {
    // The button is disabled while it is busy, and would lose the focus.
    editor.current?.querySelector('textarea')?.focus()
    const { session_id, id } = message
    const input = { session_id: String(session_id), id: String(id), content: draft }
    if (!update.isPending) update.mutate(input, { onSuccess: sendingDraft(editOf(message)) })
  }
  return (
    <div ref={editor} className="flex min-w-0 grow flex-col gap-1.5">
      <textarea
        rows={3}
        aria-label="Text of the message"
        value={draft}
        onChange={(event) => onDraft(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDraft(undefined)
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
        className="w-full rounded-md border border-control bg-surface px-2 py-1"
      />
      <span className="flex gap-1.5">
        <Button size="sm" look="primary" disabled={draft.trim() === ''} isBusy={update.isPending} onClick={save}>
          Save
        </Button>
        <Button size="sm" onClick={() => onDraft(undefined)}>
          Cancel
        </Button>
      </span>
    </div>
  )
}
