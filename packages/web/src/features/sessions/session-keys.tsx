import type { ReactNode } from 'react'
import { type Command, useCommands } from '../../shared/keys/commands.tsx'
import { part } from '../../shared/kit/part.tsx'
import { cardOf } from './card-of.ts'
import { allMenuItems } from './header-menu.ts'
import type { SessionHeaderProps } from './session-header-props.ts'

const RowDialogs = part(() => import('../board/row-dialogs.tsx'))

/** The menu of the session as keys and commands of the palette, and the dialogs that it opens. */
export default function SessionKeys(header: SessionHeaderProps): ReactNode {
  const { shown, actions } = header
  useCommands(
    allMenuItems(header).flatMap((item): Command[] => {
      if (item === 'separator' || item.isDisabled) return []
      const { label, icon, keys, onSelect } = item
      return [
        {
          id: `session ${label}`,
          label,
          group: 'Session',
          run: onSelect,
          ...(icon && { icon }),
          ...(keys && { keys }),
        },
      ]
    }),
  )
  const close = () => actions.openDialog(undefined)
  if (!actions.dialog) return null
  return (
    <RowDialogs
      kind={actions.dialog}
      cards={[cardOf(shown.session)]}
      actions={actions.board}
      onClose={close}
      onDone={close}
    />
  )
}
