import type { ReactNode } from 'react'

type FactsProps = {
  /** A name and its value. A fact without a value is left out. */
  of: readonly (readonly [string, ReactNode])[]
}

/** Names and values in two columns. */
export function Facts({ of }: FactsProps): ReactNode {
  const known = of.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-1">
      {known.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
