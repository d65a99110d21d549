import type { ReactNode } from 'react'

type SegmentsProps<Value extends string | number> = {
  label: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
}

/** One of a few, all of them in sight: a window of time, a way to group. */
export function Segments<Value extends string | number>({
  label,
  options,
  value,
  onChange,
}: SegmentsProps<Value>): ReactNode {
  return (
    <fieldset aria-label={label} className="inline-flex h-7 rounded-md border border-line-strong bg-surface p-0.5">
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className="min-w-8 whitespace-nowrap rounded-sm px-2 font-medium text-muted text-sm transition-colors hover:text-text aria-pressed:bg-selected aria-pressed:text-accent-text"
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
