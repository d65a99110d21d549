import { type ReactNode, useEffect, useState } from 'react'
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
  const [text, setText] = useEdit(name)
  const [isAsked, setAsked] = useState(false)
  // An edit that begins in another tab takes no focus here.
  useEffect(() => {
    if (text === undefined) setAsked(false)
  }, [text])
  if (text !== undefined)
    return <InlineEditor {...{ id, name, field, value, placeholder, text }} onText={setText} hasFocus={isAsked} />
  const edit = () => {
    setAsked(true)
    setText(value)
  }
  return (
    <span className="flex min-w-0 items-center gap-1">
      {children ?? <span className={`min-w-0 truncate ${value ? '' : 'text-faint'}`}>{value || placeholder}</span>}
      <IconButton size="sm" icon="pencil" label={`Edit the ${field}`} onClick={edit} />
    </span>
  )
}
