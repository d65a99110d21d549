import type { ReactNode } from 'react'
import { iconPaths } from './icon-paths.ts'
import type { LaterIconName } from './later-icon-path.tsx'
import { part } from './part.tsx'

type FirstIconName = keyof typeof iconPaths
export type IconName = FirstIconName | LaterIconName

const LaterIconPath = part<{ name: LaterIconName }>(() => import('./later-icon-path.tsx'), <path />)

type IconProps = { name: IconName; size?: number; className?: string }

/** Decoration only: the words beside it, or the label of its button, carry the meaning. */
export function Icon({ name, size = 16, className = '' }: IconProps): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.85}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      {isFirst(name) ? <path d={iconPaths[name]} /> : <LaterIconPath name={name} />}
    </svg>
  )
}

function isFirst(name: IconName): name is FirstIconName {
  return name in iconPaths
}
