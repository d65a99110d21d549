import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useWrite } from '../../shared/api/hooks.ts'
import { Menu, type MenuItem } from '../../shared/kit/menu.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { nameOfSession } from '../sessions/name-of-session.ts'

type Session = Result<'sessions.list'>['sessions'][number]

/** One line of the board, 36 px high; two lines on a phone. */
export function SessionRow({ session }: { session: Session }): ReactNode {
  const { id, status, agent_runtime, branch, updated_at, category } = session
  const name = nameOfSession(session)
  return (
    <li className="relative flex min-h-9 items-center gap-3 border-line border-b px-3 last:border-b-0 hover:bg-hover max-md:py-1.5">
      <Status of={status} className="w-24 shrink-0" />
      <span className="flex min-w-0 grow flex-col md:flex-row md:items-center md:gap-3">
        <Link
          to="/sessions/$id"
          params={{ id: String(id) }}
          className="min-w-0 truncate font-medium before:absolute before:inset-0 md:grow"
        >
          {name}
        </Link>
        <span className="truncate text-muted text-sm md:w-48 md:shrink-0">
          {[category?.name, agent_runtime, branch].filter(Boolean).join(' · ')}
        </span>
      </span>
      <Time at={updated_at} className="tabular relative w-16 shrink-0 text-right text-muted text-sm" />
      <span className="relative">
        <RowMenu session={session} name={name} />
      </span>
    </li>
  )
}

function RowMenu({ session: { id, status }, name }: { session: Session; name: string }): ReactNode {
  const toasts = useToasts()
  const unarchive = useWrite('sessions.unarchive')
  const archive = useWrite('sessions.archive', {
    onSuccess: () => toasts.say(`Archived “${name}”`, { undo: () => unarchive.mutate({ id: String(id) }) }),
  })
  const pause = useWrite('sessions.pause')
  const restart = useWrite('sessions.restart')
  const input = { id: String(id) }
  const items: MenuItem[] =
    status === 'archived'
      ? [{ label: 'Unarchive', icon: 'archive-restore', onSelect: () => unarchive.mutate(input) }]
      : [
          { label: 'Pause', icon: 'pause', isDisabled: status !== 'running', onSelect: () => pause.mutate(input) },
          {
            label: 'Restart',
            icon: 'rotate-ccw',
            isDisabled: status !== 'failed',
            onSelect: () => restart.mutate(input),
          },
          'separator',
          { label: 'Archive', icon: 'archive', onSelect: () => archive.mutate(input) },
        ]
  return <Menu label={`Actions of ${name}`} items={items} />
}
