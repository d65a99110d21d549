import { type ReactNode, useRef } from 'react'
import { Count } from '../../shared/kit/badge.tsx'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import { useModal } from '../../shared/kit/modal.ts'
import { untilLoaded } from '../../shared/kit/part.tsx'
import type { SessionHeaderProps } from './session-header-props.ts'
import { type SessionTab, sessionTabs } from './session-search.ts'
import SidePane, { labels, type SidePaneProps } from './side-pane.tsx'

type SheetProps = Omit<SidePaneProps, 'tab'> & {
  header: SessionHeaderProps
  tab: SessionTab | undefined
  onClose: () => void
}

/**
 * On a narrow screen: buttons above the composer, and the pane as a sheet from below. The actions of the header are here too: a thumb
 * does not reach the top of a phone.
 */
export default function SideSheet({ header, tab, onClose, ...pane }: SheetProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useModal(dialog, tab !== undefined)
  return (
    <>
      <nav aria-label="About the session" className="flex gap-1 border-line border-t bg-surface px-2 py-1">
        {sessionTabs.map((name) => (
          <Button key={name} size="sm" look="quiet" className="grow" onClick={() => pane.onTab(name)}>
            {labels[name]}
            {name === 'queue' && <Count of={pane.queued} />}
          </Button>
        ))}
        <Menu
          label="Actions of the session"
          look="quiet"
          icon="zap"
          items={async () => (await untilLoaded(() => import('./header-menu.ts'))).allMenuItems(header)}
        >
          Actions
        </Menu>
      </nav>
      {tab !== undefined && (
        <dialog
          ref={dialog}
          aria-label="About the session"
          onClose={onClose}
          className="h-[75dvh] w-full rounded-t-lg bg-surface p-0 shadow-float"
          style={{ margin: 'auto 0 0', maxWidth: '100%' }}
        >
          <div className="flex h-full flex-col">
            <div className="flex items-center justify-center border-line border-b py-1">
              <IconButton icon="chevron-down" label="Close" className="w-16" onClick={() => dialog.current?.close()} />
            </div>
            <SidePane {...pane} tab={tab} />
          </div>
        </dialog>
      )}
    </>
  )
}
