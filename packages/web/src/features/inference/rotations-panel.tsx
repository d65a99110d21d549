import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Pager } from '../../shared/kit/pager.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { type Rotation, reasons } from './account.ts'
import type { InferenceSearch } from './inference-search.ts'

/** When and why another account came into use. */
export function RotationsPanel({ runtime }: { runtime: string }): ReactNode {
  const { page = 1 }: InferenceSearch = useSearch({ from: '/shell/inference' })
  const navigate = useNavigate()
  const { data, error } = useRead('accounts.list_rotations', { runtime, page, per_page: 10 })
  const rotations = data?.account_rotations ?? []
  return (
    <Panel title="Rotations">
      <ErrorNote error={error} />
      {data && rotations.length === 0 && <p className="p-3 text-muted">The account in use has not changed yet.</p>}
      <ul aria-label="Rotations">
        {rotations.map((rotation) => (
          <RotationRow key={rotation.id} rotation={rotation} />
        ))}
      </ul>
      {data && (
        <Pager
          of={data.pagination}
          onPage={(next, options) => void navigate({ to: '/inference', search: { runtime, page: next }, ...options })}
        />
      )}
    </Panel>
  )
}

function RotationRow({ rotation }: { rotation: Rotation }): ReactNode {
  const { rotated_from_email, rotated_to_email, reason, triggered_by, created_at } = rotation
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5 border-line border-b px-3 py-2 last:border-b-0">
      <span className="break-words font-medium">{rotated_to_email ?? 'No account'}</span>
      {rotated_from_email && <span className="break-words text-muted">after {rotated_from_email}</span>}
      <span className="text-muted">because {reasons[reason]}</span>
      {triggered_by && <span className="break-words text-muted text-sm">({triggered_by})</span>}
      <span className="grow" />
      <Time at={created_at} className="text-muted text-sm" />
    </li>
  )
}
