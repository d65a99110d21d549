import { lazy, type ReactNode, Suspense } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { IconButton } from '../../shared/kit/button.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import type { Turn } from '../transcripts/turn-row.tsx'
import { InlineText } from './inline-text.tsx'
import { isUntitled, nameOfSession } from './name-of-session.ts'
import { Neighbours } from './neighbours.tsx'
import type { Shown } from './session-facts.ts'
import type { SessionActions } from './use-session-actions.ts'

export type SessionHeaderProps = {
  shown: Shown
  id: string
  underway: Turn | undefined
  isAsking: boolean
  cost: number | undefined
  actions: SessionActions
  turns: readonly Turn[]
  onFind: () => void
  onGo: (sequence: number) => void
  lastEntry: number | undefined
}

/** The title needs the room; the menu above the composer has these too. */
const menuOnPhone = 'max-md:hidden'

const HeaderLines = lazy(() => import('./header-lines.tsx'))

export function SessionHeader(props: SessionHeaderProps): ReactNode {
  const { shown, id, underway, actions, onFind } = props
  const { session } = shown
  const { status, favorited } = session
  const update = useWrite('sessions.update', { refreshes: ['board'] })
  const isArchived = status === 'archived'
  return (
    <header className="border-line border-b bg-surface px-3 py-2 md:px-5">
      <div className="flex min-w-0 items-center gap-2">
        <Neighbours id={session.id} />
        <div className="min-w-0 grow">
          <InlineText
            label="title"
            value={isUntitled(session) ? '' : (session.title ?? '')}
            placeholder="A short title"
            onSave={(title) => update.mutate({ id, title })}
          >
            <h1 className="line-clamp-2 min-w-0 break-words font-semibold text-lg md:line-clamp-1">
              {nameOfSession(session)}
            </h1>
          </InlineText>
        </div>
        <div className="flex shrink-0 items-center">
          <IconButton icon="search" label="Find in the transcript" className={menuOnPhone} onClick={onFind} />
          <IconButton
            icon="star"
            label={favorited ? 'Favourite' : 'Make it a favourite'}
            isPressed={favorited}
            className={`${menuOnPhone} ${favorited ? '[&_svg]:fill-current' : ''}`}
            onClick={actions.favorite}
          />
          {underway && <IconButton icon="pause" label="Pause: ends the running turn" onClick={actions.pause} />}
          {isArchived ? (
            <IconButton icon="archive-restore" label="Unarchive" className={menuOnPhone} onClick={actions.unarchive} />
          ) : (
            <IconButton icon="archive" label="Archive" className={menuOnPhone} onClick={() => actions.archive()} />
          )}
          <Menu
            label="More actions"
            size="md"
            items={async () => (await import('./header-menu.ts')).headerMenuItems(props)}
          />
        </div>
      </div>
      <Suspense fallback={<div className="h-13" />}>
        <HeaderLines {...props} />
      </Suspense>
    </header>
  )
}
