import { type ReactNode, useState } from 'react'
import { IconButton } from '../../shared/kit/button.tsx'

type InlineTextProps = {
  /** What it is: "title". */
  label: string
  value: string
  /** Shown while there is no value. */
  placeholder: string
  onSave: (value: string) => void
  children?: ReactNode
  isLong?: boolean
}

/** Text with a pencil. Enter or leaving the field saves, Escape does not. */
export function InlineText({
  label,
  value,
  placeholder,
  onSave,
  children,
  isLong = false,
}: InlineTextProps): ReactNode {
  const [draft, setDraft] = useState<string>()
  if (draft === undefined) {
    return (
      <span className="flex min-w-0 items-center gap-1">
        {children ?? <span className={`min-w-0 truncate ${value ? '' : 'text-faint'}`}>{value || placeholder}</span>}
        <IconButton size="sm" icon="pencil" label={`Edit the ${label}`} onClick={() => setDraft(value)} />
      </span>
    )
  }
  const save = () => {
    setDraft(undefined)
    if (draft !== value) onSave(draft)
  }
  const shared = {
    autoFocus: true,
    'aria-label': label,
    placeholder,
    value: draft,
    onChange: (event: { currentTarget: { value: string } }) => setDraft(event.currentTarget.value),
    onBlur: save,
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key === 'Escape') setDraft(undefined)
      else if (event.key === 'Enter' && !event.shiftKey) save()
      else return
      event.preventDefault()
      event.stopPropagation()
    },
    className: 'min-w-0 grow rounded-md border border-control bg-surface px-2 py-0.5 font-inherit',
  }
  return isLong ? <textarea rows={3} {...shared} /> : <input type="text" {...shared} />
}
