import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from '../../shared/kit/icon.tsx'
import { Status } from '../../shared/kit/status.tsx'
import type { Shown } from './session-facts.ts'

type Hierarchy = Shown['session_hierarchy']
type Node = Hierarchy['nodes'][number]

/** The sessions that spawned each other. A dotted line leads to those that only sent messages. */
export function FamilyTree({
  hierarchy: { nodes, truncated, truncation_reason },
}: {
  hierarchy: Hierarchy
}): ReactNode {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  if (nodes.length < 2) return <p className="text-muted text-sm">It has no parent and started no sessions.</p>
  return (
    <>
      <ul className="flex flex-col">
        {nodes.map((node) => (
          <li
            key={node.id}
            className={`min-w-0 rounded-md px-1.5 py-1 ${node.current ? 'bg-selected' : 'hover:bg-hover'}`}
            style={{ marginLeft: `${Math.min(node.depth, 8) * 14}px` }}
          >
            <span
              className={`flex min-w-0 items-center gap-2 ${node.spawn_edge ? '' : 'border-line-strong border-l-2 border-dotted pl-2'}`}
            >
              <Link
                to="/sessions/$id"
                params={{ id: String(node.id) }}
                aria-current={node.current ? 'page' : undefined}
                className="min-w-0 grow truncate leading-6 hover:underline aria-[current]:font-semibold"
              >
                {node.title}
              </Link>
              <Status of={node.status} className="shrink-0" />
            </span>
            <Uncles node={node} byId={byId} />
          </li>
        ))}
      </ul>
      {truncated && (
        <p className="mt-1 text-muted text-sm">{truncation_reason ?? 'There are more relatives than are listed.'}</p>
      )}
    </>
  )
}

function Uncles({
  node: { uncle_session_ids: ids },
  byId,
}: {
  node: Node
  byId: ReadonlyMap<number, Node>
}): ReactNode {
  if (ids.length === 0) return null
  return (
    <span className="flex flex-wrap items-center gap-1 text-muted text-sm">
      <Icon name="message-square" size={12} />
      told by
      {ids.map((id) => (
        <Link key={id} to="/sessions/$id" params={{ id: String(id) }} className="leading-6 underline decoration-dotted">
          {byId.get(id)?.title ?? `#${id}`}
        </Link>
      ))}
    </span>
  )
}
