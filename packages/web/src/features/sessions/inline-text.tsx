import { type ReactNode, useRef } from 'react'
import { IconButton } from '../../shared/kit/button.tsx'
import { part } from '../../shared/kit/part.tsx'
import { useEdit } from '../../shared/state/draft.ts'

const InlineEditor = part(() => import('./inline-editor.tsx'))

type InlineTextProps = {
  session: { id: number }
  field: 'title' | 'goal'
  value: string
  /** Shown while there is no value. */
  placeholder: string
  children?: ReactNode
}

/** Text with a pencil. What is typed stays until the server has it, also when the page is left. */
export function InlineText({ session: { id }, field, value, placeholder, children }: InlineTextProps): ReactNode {
  const name = `${field}.${id}`
  const [text, onText] = useEdit(name)
  const isAsked = useRef(false)
  if (text !== undefined) return <InlineEditor {...{ id, name, field, value, placeholder, text, onText, isAsked }} />
  const edit = () => {
    isAsked.current = true
    onText(value)
  }
  return (
    <span className="flex min-w-0 items-center gap-1">
      {children ?? <span className={`min-w-0 truncate ${value ? '' : 'text-faint'}`}>{value || placeholder}</span>}
      <IconButton size="sm" icon="pencil" label={`Edit the ${field}`} onClick={edit} />
    </span>
  )
}
