import type { ReactNode } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Markdown } from '../../shared/kit/markdown.tsx'
import { part } from '../../shared/kit/part.tsx'
import { formatTime } from '../../shared/kit/time.tsx'
import { filesNamedIn } from '../attachments/files-named-in.ts'
import { useOpenRow } from './open-rows.ts'
import type { Row } from './rows.ts'
import { useWholePart } from './use-whole-part.ts'

export const CopyText = part(() => import('./copy-text-button.tsx'))
const MessageActions = part(() => import('./message-actions.tsx'))
const NamedFiles = part(() => import('../attachments/named-files.tsx'), <div className="mt-1.5 h-7" />)

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
        {!row.isContinued && (
          <>
            <Icon name={isPerson ? 'user' : 'bot'} size={14} />
            <span className="font-semibold text-text">{isPerson ? 'Prompt' : 'Agent'}</span>
          </>
        )}
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
      {isPerson && filesNamedIn(shown).length > 0 && <NamedFiles text={shown} />}
      {text.part.is_cut && (
        <Button look="quiet" size="sm" className="mt-1" isBusy={whole.isFetching} onClick={toggleWhole}>
          {isWhole ? 'Less' : 'Whole message'}
        </Button>
      )}
    </article>
  )
}

function Notice({ id, text }: { id: string; text: string }): ReactNode {
  return (
    <div id={id} className="group flex scroll-mt-4 items-start gap-2 px-1 text-muted text-sm">
      <Icon name="info" size={14} className="mt-0.5 shrink-0" />
      <p className="min-w-0 whitespace-pre-wrap break-words">{text}</p>
      <CopyText value={text} label="notice" />
    </div>
  )
}
