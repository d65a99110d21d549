import type { ReactNode } from 'react'
import { Icon } from '../../shared/kit/icon.tsx'
import { Markdown } from '../../shared/kit/markdown.tsx'
import { part } from '../../shared/kit/part.tsx'
import { formatDuration } from '../../shared/kit/time.tsx'
import { CopyText } from './message-row.tsx'
import { useOpenRow, useScope } from './open-rows.ts'
import type { Thought, ToolCall } from './rows.ts'
import { hasFailed, iconOf, secondsOf, summaryOf } from './summarize-tools.ts'
import { useWholePart } from './use-whole-part.ts'

export const CallDetails = part(() => import('./call-details.tsx'))

type ToolGroupProps = {
  id: string
  items: readonly (ToolCall | Thought)[]
  /** Only the last row of a transcript can be underway. */
  isLast: boolean
}

/** "Read 6 files · ran 2 commands (1 failed)", which opens to the calls. A single one needs no group. */
export function ToolGroup({ id, items, isLast }: ToolGroupProps): ReactNode {
  const [isOpen, toggle] = useOpenRow(id)
  const only = items.length === 1 ? items[0] : undefined
  if (only) return <Item item={only} isLast={isLast} />
  const seconds = secondsOf(items)
  const hasAnyFailed = items.some((item) => item.kind === 'call' && hasFailed(item))
  return (
    <div>
      <Disclosure isOpen={isOpen} onToggle={toggle}>
        <span className="min-w-0 grow truncate text-left">{summaryOf(items)}</span>
        {isLast && <Underway items={items} />}
        {hasAnyFailed && <Icon name="circle-x" size={14} className="text-failed" />}
        {seconds !== undefined && <Seconds of={seconds} />}
      </Disclosure>
      {isOpen && (
        <div className="ml-3 flex flex-col border-line border-l pl-2">
          {items.map((item) => (
            <Item key={item.key} item={item} isLast={isLast && item === items.at(-1)} />
          ))}
        </div>
      )}
    </div>
  )
}

function Item({ item, isLast }: { item: ToolCall | Thought; isLast: boolean }): ReactNode {
  return item.kind === 'call' ? <Call call={item} isLast={isLast} /> : <ThoughtRow thought={item} />
}

function Call({ call, isLast }: { call: ToolCall; isLast: boolean }): ReactNode {
  const [isOpen, toggle] = useOpenRow(`c${call.key}`)
  const seconds = secondsOf([call])
  const isFailed = hasFailed(call)
  return (
    <div id={`e${call.sequence}`} className="min-w-0 scroll-mt-4">
      <Disclosure isOpen={isOpen} onToggle={toggle}>
        <Icon name={iconOf(call)} size={14} className="text-faint" />
        <span className="font-medium text-text">{call.name}</span>
        <span className="min-w-0 grow truncate text-left font-mono text-sm">{call.summary}</span>
        {isLast && <Underway items={[call]} />}
        {isFailed && (
          <span className="inline-flex items-center gap-1 text-failed text-sm">
            <Icon name="circle-x" size={14} />
            failed
          </span>
        )}
        {seconds !== undefined && <Seconds of={seconds} />}
      </Disclosure>
      {isOpen && <CallDetails call={call} />}
    </div>
  )
}

function ThoughtRow({ thought: { key, text, sequence } }: { thought: Thought }): ReactNode {
  const [isOpen, toggle] = useOpenRow(`c${key}`)
  const shown = useWholePart(text, isOpen).data ?? text.part.text
  return (
    <div id={`e${sequence}`} className="scroll-mt-4">
      <Disclosure isOpen={isOpen} onToggle={toggle}>
        <Icon name="brain" size={14} className="text-faint" />
        <span className="font-medium">Thinking</span>
        {!isOpen && <span className="min-w-0 grow truncate text-left text-faint">{text.part.text}</span>}
      </Disclosure>
      {isOpen && (
        <div className="group my-1 ml-5 flex items-start border-line-strong border-l-2 pl-3 text-muted">
          <Markdown className="grow">{shown}</Markdown>
          <CopyText value={shown} label="thought" />
        </div>
      )}
    </div>
  )
}

/** A call without a result while a turn is underway. */
function Underway({ items }: { items: readonly (ToolCall | Thought)[] }): ReactNode {
  const { isWorking } = useScope()
  const last = items.at(-1)
  if (!isWorking || last?.kind !== 'call' || last.result) return null
  return (
    <span role="img" aria-label="Underway" className="inline-flex text-running">
      <Icon name="loader-circle" size={14} className="spin" />
    </span>
  )
}

function Seconds({ of }: { of: number }): ReactNode {
  return <span className="tabular shrink-0 text-faint text-sm">{of < 1 ? '< 1 s' : formatDuration(of)}</span>
}

type DisclosureProps = { isOpen: boolean; onToggle: () => void; children: ReactNode }

export function Disclosure({ isOpen, onToggle, children }: DisclosureProps): ReactNode {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex min-h-7 w-full min-w-0 items-center gap-1.5 rounded-md px-1 py-0.5 text-left text-muted hover:bg-hover hover:text-text"
    >
      <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={14} className="shrink-0 text-faint" />
      {children}
    </button>
  )
}
