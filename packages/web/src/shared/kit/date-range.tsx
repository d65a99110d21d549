import type { ReactNode } from 'react'
import { TextField } from './field.tsx'

type DateRangeProps = {
  /** What happened on the days: "Created". */
  what: string
  /** The zone of the days; none for days that are compared as they are written. */
  zone?: 'UTC'
  from: string | undefined
  to: string | undefined
  onChange: (changes: { from?: string | undefined; to?: string | undefined }) => void
}

/** Two days of a filter bar. An empty field of the browser says only how a day is written, so the words stand before it. */
export function DateRange({ what, zone, from, to, onChange }: DateRangeProps): ReactNode {
  return (
    <div className="col-span-2 grid grid-cols-2 items-center gap-x-2 text-muted text-sm md:flex md:w-auto!">
      {(['from', 'to'] as const).map((end) => (
        <div key={end} className="grid gap-x-1.5 md:flex md:items-center">
          <span aria-hidden="true" className="whitespace-nowrap">
            {end === 'from' ? `${what} from` : 'to'}
          </span>
          <TextField
            label={`${what} ${end}${zone ? ` (${zone})` : ''}`}
            isLabelHidden
            type="date"
            value={(end === 'from' ? from : to) ?? ''}
            onChange={(event) => onChange({ [end]: event.currentTarget.value || undefined })}
          />
        </div>
      ))}
      {zone && <span aria-hidden="true">{zone}</span>}
    </div>
  )
}
