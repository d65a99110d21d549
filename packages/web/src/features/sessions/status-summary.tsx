import { type ReactNode, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { IconButton } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import type { Shown } from './session-facts.ts'

/** A line is as high as the button beside it, so that the texts stand on one line with those of the goal, also when more lines follow. */
const line = 'py-0.75'

/** Where the session stands, in a few sentences of an agent, and how old they are. */
export function StatusSummary({ id, summary }: { id: string; summary: Shown['status_summary'] }): ReactNode {
  const regenerate = useWrite('sessions.regenerate_status_summary')
  const isBusy = summary?.generating === true || regenerate.isPending
  const [isOpen, setOpen] = useState(false)
  const text = summary?.error ?? summary?.summary
  const since = summary?.messages_since_generated
  return (
    <div className="flex min-w-0 grow basis-60 items-start gap-1">
      <span className={`shrink-0 text-muted ${line}`}>Status</span>
      {text ? (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className={`min-w-0 text-left hover:underline ${line} ${isOpen ? 'max-h-40 overflow-y-auto' : 'truncate'}`}
        >
          {text}
        </button>
      ) : (
        <span className={`text-faint ${line}`}>{isBusy ? 'is being written' : 'no summary yet'}</span>
      )}
      {since !== undefined && since !== null && since > 0 && (
        <span className={`tabular shrink-0 text-faint ${line}`}>{since} entries ago</span>
      )}
      {isBusy ? (
        <span
          role="img"
          aria-label="A summary is being written"
          className="inline-flex size-6 items-center justify-center text-muted"
        >
          <Icon name="loader-circle" size={14} className="spin" />
        </span>
      ) : (
        <IconButton size="sm" icon="sparkles" label="Write a new summary" onClick={() => regenerate.mutate({ id })} />
      )}
    </div>
  )
}
