import { Problem } from '@yardmaster/client/client'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

type EmptyStateProps = { icon?: IconName; title: string; children?: ReactNode; action?: ReactNode }

/** Says what would be here, and what to do next. */
export function EmptyState({ icon = 'inbox', title, children, action }: EmptyStateProps): ReactNode {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <Icon name={icon} size={24} className="text-faint" />
      <p className="font-semibold">{title}</p>
      {children && <div className="max-w-md text-balance text-muted">{children}</div>}
      {action && <div className="mt-2 flex gap-2">{action}</div>}
    </div>
  )
}

/** Shows an error in the API's own sentences. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactNode {
  if (!error) return null
  return (
    <div role="alert" className="flex items-start gap-2.5 rounded-md bg-failed-soft px-3 py-2.5">
      <Icon name="triangle-alert" className="mt-0.5 text-failed" />
      <div className="min-w-0 grow">
        {sentencesOf(error).map((sentence) => (
          <p key={sentence} className="break-words">
            {sentence}
          </p>
        ))}
      </div>
      {onRetry && (
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

export function sentencesOf(error: unknown): readonly string[] {
  if (error instanceof Problem) return error.messages.length > 0 ? error.messages : [error.error]
  // `fetch` throws a TypeError when it reaches no server.
  if (error instanceof TypeError) return ['The server could not be reached.']
  return [error instanceof Error ? error.message : String(error)]
}

/** Grey bars in the place of rows that are being read; keeps the layout still. */
export function Skeleton({ rows = 6 }: { rows?: number }): ReactNode {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike.
        <div key={index} className="flex h-9 items-center border-line border-b px-3 last:border-b-0">
          <div className="h-2.5 rounded-full bg-hover" style={{ width: `${72 - ((index * 17) % 40)}%` }} />
        </div>
      ))}
    </div>
  )
}
