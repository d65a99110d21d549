import { type ReactNode, useRef, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import type { IconName } from './icon.tsx'
import { part } from './part.tsx'

export type MenuItem =
  | {
      label: string
      icon?: IconName
      keys?: string
      isDanger?: boolean
      isDisabled?: boolean
      /** It changes what the menu offers. */
      keepsOpen?: boolean
      onSelect: () => void
    }
  | 'separator'

type MenuProps = {
  /** What the menu is for: "Actions of Fix the flaky retry". */
  label: string
  /** A function is called when the menu opens: for menus that stand in many rows. */
  items: readonly MenuItem[] | (() => Promise<readonly MenuItem[]>)
  icon?: IconName
  /** With children the trigger is a button that shows them, else an icon. */
  children?: ReactNode
  size?: 'sm' | 'md'
  look?: 'plain' | 'quiet'
  isDisabled?: boolean
}

// Ariakit is 50 kB, so it is loaded when the first menu opens.
const MenuPopover = part(() => import('./menu-popover.tsx'))

export function Menu({
  label,
  items,
  icon = 'ellipsis',
  children,
  size = 'sm',
  look = 'plain',
  isDisabled,
}: MenuProps): ReactNode {
  const [opened, setOpened] = useState<Promise<readonly MenuItem[]>>()
  const isOpen = opened !== undefined
  const anchor = useRef<HTMLSpanElement>(null)
  const trigger = {
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    disabled: isDisabled,
    size,
    onClick: (event: { stopPropagation(): void; preventDefault(): void }) => {
      event.preventDefault()
      event.stopPropagation()
      setOpened(isOpen ? undefined : typeof items === 'function' ? items() : Promise.resolve(items))
    },
  } as const
  return (
    <span ref={anchor} className="inline-flex">
      {children === undefined ? (
        <IconButton icon={icon} label={label} {...trigger} />
      ) : (
        <Button look={look} icon={icon === 'ellipsis' ? undefined : icon} {...trigger}>
          {children}
        </Button>
      )}
      {isOpen && (
        <MenuPopover
          label={label}
          items={typeof items === 'function' ? opened : items}
          anchor={anchor}
          onClose={() => setOpened(undefined)}
        />
      )}
    </span>
  )
}
