import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'

/** What was done to many sessions, and which of them refused. */
export type Report = {
  done: string
  count: number
  refusals: readonly { id: number; name: string; sentence: string }[]
  /** Archives those that refused because of their queued messages. */
  anyway: (() => unknown) | undefined
}

/** Which sessions refused, and in whose words. It stays until it is closed. */
export default function BulkReport({
  report: { done, count, refusals, anyway },
  onClose,
}: {
  report: Report
  onClose: () => void
}): ReactNode {
  return (
    <section role="alert" aria-label="Refused" className="shrink-0 border-line border-t bg-failed-soft px-3 py-2">
      <div className="flex items-center gap-2">
        <Icon name="triangle-alert" className="text-failed" />
        <span className="grow font-semibold">
          {done} {count} of {count + refusals.length}; {refusals.length} refused
        </span>
        {anyway && (
          <Button
            size="sm"
            look="danger"
            icon="archive"
            onClick={() => {
              onClose()
              anyway()
            }}
          >
            Archive anyway
          </Button>
        )}
        <IconButton size="sm" icon="x" label="Close" onClick={onClose} />
      </div>
      <ul className="mt-1 max-h-32 overflow-y-auto">
        {refusals.map(({ id, name, sentence }) => (
          <li key={id} className="py-0.5">
            <Link to="/sessions/$id" params={{ id: String(id) }} className="font-medium underline">
              {name}
            </Link>
            {`: ${sentence}`}
          </li>
        ))}
      </ul>
    </section>
  )
}
