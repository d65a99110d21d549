import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { Icon } from '../../shared/kit/icon.tsx'
import { neighboursOf } from '../board/list-order.ts'

/** The session before and after this one in the list that the person came from; nothing if they came from none. */
export function Neighbours({ id }: { id: number }): ReactNode {
  const list = useMemo(() => neighboursOf(id), [id])
  if (!list || list.of < 2) return null
  return (
    <nav aria-label="Sessions of the list" className="hidden shrink-0 items-center md:flex">
      <Neighbour id={list.previous} icon="chevron-left" label="Previous session" />
      <span className="tabular whitespace-nowrap text-muted text-sm">
        {list.place} of {list.of}
      </span>
      <Neighbour id={list.next} icon="chevron-right" label="Next session" />
    </nav>
  )
}

type NeighbourProps = { id: number | undefined; icon: 'chevron-left' | 'chevron-right'; label: string }

function Neighbour({ id, icon, label }: NeighbourProps): ReactNode {
  const look = 'inline-flex size-6 items-center justify-center rounded-md text-muted'
  if (id === undefined) return <span className={`${look} opacity-40`} />
  return (
    <Link
      to="/sessions/$id"
      params={{ id: String(id) }}
      aria-label={label}
      data-tip={label}
      className={`${look} hover:bg-hover hover:text-text`}
    >
      <Icon name={icon} size={14} />
    </Link>
  )
}
