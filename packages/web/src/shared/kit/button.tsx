import { Link, type LinkProps } from '@tanstack/react-router'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Look = 'plain' | 'primary' | 'quiet' | 'danger'
type Size = 'sm' | 'md'

const looks: Record<Look, string> = {
  plain: 'bg-raised text-text border-line-strong hover:bg-hover shadow-raised',
  primary: 'bg-accent text-on-accent border-transparent hover:bg-accent-strong shadow-raised',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-raised text-failed border-line-strong hover:bg-failed-soft shadow-raised',
}
const sizes: Record<Size, string> = { sm: 'h-7 px-2 text-sm gap-1', md: 'h-8 px-3 text-base gap-1.5' }

function classOf(look: Look, size: Size, className: string): string {
  return `inline-flex shrink-0 items-center justify-center whitespace-nowrap rounded-md border font-medium transition-colors disabled:pointer-events-none disabled:opacity-55 ${looks[look]} ${sizes[size]} ${className}`
}

type Shared = { look?: Look; size?: Size; icon?: IconName; className?: string; children?: ReactNode }
type ButtonProps = Shared & { isBusy?: boolean } & ButtonHTMLAttributes<HTMLButtonElement>

/** `isBusy` keeps the button's width, shows that it works, and refuses a second press. */
export function Button(props: ButtonProps): ReactNode {
  const { look = 'plain', size = 'md', icon, isBusy = false, className = '', children, ...rest } = props
  return (
    <button
      type="button"
      {...rest}
      className={classOf(look, size, className)}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {isBusy ? <Icon name="loader-circle" size={14} className="spin" /> : icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

/** A link that looks like a button: it opens in a new tab, can be copied, and works with the keyboard as links do. */
export function ButtonLink(props: Shared & LinkProps): ReactNode {
  const { look = 'plain', size = 'md', icon, className = '', children, ...rest } = props
  return (
    <Link {...rest} className={classOf(look, size, className)}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </Link>
  )
}

type IconButtonProps = { icon: IconName; label: string; size?: Size; isPressed?: boolean } & Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  'aria-label'
>

/** The label is read aloud and shown as a tooltip. */
export function IconButton(props: IconButtonProps): ReactNode {
  const { icon, label, size = 'md', isPressed, className = '', ...rest } = props
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      aria-pressed={isPressed}
      data-tip={label}
      className={`inline-flex shrink-0 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-text disabled:opacity-55 aria-pressed:text-accent-text ${size === 'sm' ? 'size-6' : 'size-8'} ${className}`}
    >
      <Icon name={icon} size={size === 'sm' ? 14 : 16} />
    </button>
  )
}
