import type { ReactNode } from 'react'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Markdown } from '../../shared/kit/markdown.tsx'
import { formatTime } from '../../shared/kit/time.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useOpenRow, useScope } from './open-rows.ts'
import type { Row } from './rows.ts'
import { useWholePart } from './use-whole-part.ts'

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** What a person, the agent or the runtime said. */
export function MessageRow({ row }: { row: Extract<Row, { type: 'message' }> }): ReactNode {
  const { by, text, entry, key } = row
  const [isWhole, toggleWhole] = useOpenRow(`w${key}`)
  const whole = useWholePart(text, isWhole)
  const shown = whole.data ?? text.part.text
  if (by === 'runtime') return <Notice id={`e${row.first}`} text={shown} />
  const isPerson = by === 'person'
  return (
    <article
      id={`e${row.first}`}
      aria-label={isPerson ? 'Prompt' : 'Agent'}
      className={`group relative scroll-mt-4 ${isPerson ? 'rounded-lg bg-selected px-3 py-2' : 'px-1'}`}
    >
      <header className="flex min-h-6 items-center gap-1.5 text-muted text-sm">
        <Icon name={isPerson ? 'user' : 'bot'} size={14} />
        <span className="font-semibold text-text">{isPerson ? 'Prompt' : 'Agent'}</span>
        <time dateTime={entry.at} data-tip={formatTime(entry.written_at ?? entry.at)} className="tabular text-faint">
          {clock.format(new Date(entry.written_at ?? entry.at))}
        </time>
        <MessageActions sequence={row.first} text={shown} />
      </header>
      {isPerson ? (
        <p className="whitespace-pre-wrap break-words leading-relaxed">{shown}</p>
      ) : (
        <Markdown>{shown}</Markdown>
      )}
      {text.part.is_cut && (
        <Button look="quiet" size="sm" className="mt-1" isBusy={whole.isFetching} onClick={toggleWhole}>
          {isWhole ? 'Less' : 'Whole message'}
        </Button>
      )}
    </article>
  )
}

/** Seen on hover, on focus, and where there is no pointer to hover with. */
function MessageActions({ sequence, text }: { sequence: number; text: string }): ReactNode {
  const { thread, onFork } = useScope()
  const toasts = useToasts()
  const copy = (value: string, said: string) =>
    navigator.clipboard.writeText(value).then(
      () => toasts.say(said),
      (error) => toasts.complain(error),
    )
  const link = () => `${location.origin}${location.pathname}#e${sequence}`
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

function Notice({ id, text }: { id: string; text: string }): ReactNode {
  return (
    <div id={id} className="flex scroll-mt-4 items-start gap-2 px-1 text-muted text-sm">
      <Icon name="info" size={14} className="mt-0.5 shrink-0" />
      <p className="min-w-0 whitespace-pre-wrap break-words">{text}</p>
    </div>
  )
}
