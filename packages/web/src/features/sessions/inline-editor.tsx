import {
  type FocusEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useRef,
} from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { IconButton } from '../../shared/kit/button.tsx'
import { useEditorFocus } from '../../shared/kit/editor-focus.ts'
import { sentencesOf } from '../../shared/kit/notes.tsx'
import { sendingDraft } from '../../shared/state/draft.ts'

type InlineEditorProps = {
  /** Of the session. */
  id: number
  /** Of the edit, under which it is kept. */
  name: string
  field: 'title' | 'goal'
  /** What the server has. */
  value: string
  placeholder: string
  text: string
  onText: (text: string | undefined) => void
  /** By the pencil, since the last edit ended. */
  isAsked: RefObject<boolean>
}

/** Enter or leaving the editor saves, Escape discards. A text that the server refuses stays, with the server's sentence. */
export default function InlineEditor(props: InlineEditorProps): ReactNode {
  const { id, name, field, value, placeholder, text, onText, isAsked } = props
  const errorId = useId()
  const update = useWrite('sessions.update', { refreshes: ['board'], complains: false })
  const form = useRef<HTMLFormElement>(null)
  useEditorFocus(form, isAsked, `Edit the ${field}`)
  const discard = () => onText(undefined)
  const save = () => {
    if (update.isPending) return
    if (text === value) return discard()
    update.mutate({ id: String(id), [field]: text }, { onSuccess: sendingDraft(name) })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    discard()
  }
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => !currentTarget.contains(relatedTarget) && save()
  return (
    <form ref={form} onSubmit={submit} onBlur={onBlur} className="min-w-0 grow">
      <div className="flex items-center gap-1">
        <input
          type="text"
          aria-label={field}
          aria-invalid={update.error ? true : undefined}
          aria-describedby={errorId}
          placeholder={placeholder}
          value={text}
          readOnly={update.isPending}
          onChange={(event) => onText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          className="min-w-0 grow rounded-md border border-control bg-surface px-2 py-0.5 font-inherit aria-invalid:border-failed"
        />
        <IconButton size="sm" icon="check" type="submit" label={`Save the ${field}`} />
        <IconButton
          size="sm"
          icon="x"
          label={`Discard the change of the ${field}`}
          // Else the field is left before the click, which saves.
          onMouseDown={(event) => event.preventDefault()}
          onClick={discard}
        />
      </div>
      <p id={errorId} role="alert" className="break-words pt-1 text-failed text-sm empty:hidden">
        {update.error && sentencesOf(update.error).join(' ')}
      </p>
    </form>
  )
}
