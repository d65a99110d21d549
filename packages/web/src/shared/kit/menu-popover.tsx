import * as Ariakit from '@ariakit/react'
import { type ReactNode, type RefObject, use } from 'react'
import { Icon } from './icon.tsx'
import { Keys } from './keys.tsx'
import type { MenuItem } from './menu.tsx'

type MenuPopoverProps = {
  label: string
  items: readonly MenuItem[] | Promise<readonly MenuItem[]>
  anchor: RefObject<HTMLElement | null>
  onClose: () => void
}

export default function MenuPopover({ label, items, anchor, onClose }: MenuPopoverProps): ReactNode {
  const shown = items instanceof Promise ? use(items) : items
  return (
    <Ariakit.MenuProvider open setOpen={(isOpen) => !isOpen && onClose()} placement="bottom-end">
      <Ariakit.Menu
        aria-label={label}
        portal
        gutter={4}
        autoFocusOnShow
        getAnchorRect={() => anchor.current?.getBoundingClientRect() ?? null}
        finalFocus={anchor.current?.querySelector('button')}
        hideOnInteractOutside={(event) => !anchor.current?.contains(event.target as Node)}
        className="z-50 min-w-48 max-w-80 rounded-lg bg-raised p-1 shadow-float outline-none"
      >
        {shown.map((item, index) =>
          item === 'separator' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a separator has no identity of its own.
            <Ariakit.MenuSeparator key={index} className="my-1 border-line" />
          ) : (
            <Ariakit.MenuItem
              key={item.label}
              disabled={item.isDisabled}
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
    </Ariakit.MenuProvider>
  )
}
