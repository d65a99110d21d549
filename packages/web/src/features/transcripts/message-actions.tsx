import type { ReactNode } from 'react'
import { IconButton } from '../../shared/kit/button.tsx'
import { copyText } from '../../shared/kit/copy-text.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useScope } from './open-rows.ts'

/** Seen on hover, on focus, and where there is no pointer to hover with. Loaded after the messages. */
export default function MessageActions({ sequence, text }: { sequence: number; text: string }): ReactNode {
  const { sessionId, thread, onFork } = useScope()
  const toasts = useToasts()
  const copy = (value: string, said: string) => copyText(value, { toasts, said })
  const link = () => `${location.origin}/sessions/${sessionId}#e${sequence}`
  return (
    <span className="ml-auto flex opacity-0 transition-opacity focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
      {onFork && thread === 'main' && (
        <IconButton size="sm" icon="git-fork" label="Fork from here" onClick={() => onFork(sequence)} />
      )}
      <IconButton size="sm" icon="copy" label="Copy the text" onClick={() => copy(text, 'Copied')} />
      {thread === 'main' && (
        <IconButton size="sm" icon="link" label="Copy the link" onClick={() => copy(link(), 'Link copied')} />
      )}
    </span>
  )
}
