import * as Ariakit from '@ariakit/react'
import { type ReactNode, type RefObject, use, useEffect } from 'react'
import { Icon } from './icon.tsx'
import { Keys } from './keys.tsx'
import type { MenuItem } from './menu.tsx'
import { topLayer } from './modal.ts'

type MenuPopoverProps = {
  label: string
  items: readonly MenuItem[] | Promise<readonly MenuItem[]>
  anchor: RefObject<HTMLElement | null>
  onClose: () => void
}

export default function MenuPopover({ label, items, anchor, onClose }: MenuPopoverProps): ReactNode {
  const shown = items instanceof Promise ? use(items) : items
  const store = Ariakit.useMenuStore({ open: true, setOpen: (isOpen) => !isOpen && onClose(), placement: 'bottom-end' })
  // Ariakit's own button would say this. Without it the focus stays on the button, and arrows do nothing.
  useEffect(() => {
    store.setAutoFocusOnShow(true)
    store.setInitialFocus('first')
  }, [store])
  return (
    <Ariakit.Menu
      store={store}
      aria-label={label}
      portal
      portalElement={topLayer}
      fixed
      gutter={4}
      autoFocusOnShow
      hideOnEscape={(event) => {
        // It would close the dialog around it as well.
        event.preventDefault()
        return true
      }}
      getAnchorRect={() => anchor.current?.getBoundingClientRect() ?? null}
      finalFocus={anchor.current?.querySelector('button')}
      hideOnInteractOutside={(event) => !anchor.current?.contains(event.target as Node)}
      className="z-50 max-h-(--popover-available-height) min-w-48 max-w-80 overflow-y-auto rounded-lg bg-raised p-1 shadow-float outline-none"
    >
      {shown.map((item, index) =>
        item === 'separator' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a separator has no identity of its own.
          <Ariakit.MenuSeparator key={index} className="my-1 border-line" />
        ) : (
          <Ariakit.MenuItem
            key={item.label}
            disabled={item.isDisabled}
            hideOnClick={!item.keepsOpen}
            onClick={item.onSelect}
            className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-base outline-none data-[active-item]:bg-hover aria-disabled:cursor-default aria-disabled:opacity-50 ${item.isDanger ? 'text-failed' : ''}`}
          >
            {item.icon && <Icon name={item.icon} size={14} className={item.isDanger ? '' : 'text-muted'} />}
            <span className="grow truncate">{item.label}</span>
            {item.keys && <Keys of={item.keys} />}
          </Ariakit.MenuItem>
        ),
      )}
    </Ariakit.Menu>
  )
}
