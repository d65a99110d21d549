import type { ReactNode } from 'react'
import { IconButton } from '../../shared/kit/button.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import { part, untilLoaded } from '../../shared/kit/part.tsx'
import { InlineText } from './inline-text.tsx'
import { isUntitled, nameOfSession } from './name-of-session.ts'
import { Neighbours } from './neighbours.tsx'
import type { SessionHeaderProps } from './session-header-props.ts'

/** The title needs the room; the menu above the composer has these too. */
const menuOnPhone = 'max-md:hidden'

const HeaderLines = part(() => import('./header-lines.tsx'), <div className="h-13" />)

export function SessionHeader(props: SessionHeaderProps): ReactNode {
  const { shown, underway, actions, onFind } = props
  const { session } = shown
  const { status, favorited } = session
  const isArchived = status === 'archived'
  return (
    <header className="border-line border-b bg-surface px-3 py-2 md:px-5">
      <div className="flex min-w-0 items-center gap-2">
        <Neighbours id={session.id} />
        <div className="min-w-0 grow">
          <InlineText
            session={session}
            field="title"
            value={isUntitled(session) ? '' : (session.title ?? '')}
            placeholder="A short title"
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
            items={async () => (await untilLoaded(() => import('./header-menu.ts'))).headerMenuItems(props)}
          />
        </div>
      </div>
      <HeaderLines {...props} />
    </header>
  )
}
