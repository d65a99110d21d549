import type { ReactNode } from 'react'
import { Icon } from '../../shared/kit/icon.tsx'

/** Says that the dollars are too low, and for which models. */
export function UnpricedNote({ models, problem }: { models: readonly string[]; problem: string | null }): ReactNode {
  if (models.length === 0 && problem === null) return null
  return (
    <div role="note" className="flex items-start gap-2.5 rounded-md bg-needs-soft px-3 py-2.5">
      <Icon name="triangle-alert" className="mt-0.5 text-needs" />
      <div className="min-w-0">
        {models.length > 0 && (
          <p>
            The price table has no rate for <strong className="break-words">{models.join(', ')}</strong>: their tokens
            are counted, their dollars are not. Add the rates to the price file.
          </p>
        )}
        {problem !== null && <p>The price file is not used as it is now: {problem}</p>}
      </div>
    </div>
  )
}
