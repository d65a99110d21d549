import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

const tones = {
  needs: { box: 'bg-needs-soft', icon: 'text-needs', name: 'triangle-alert' },
  info: { box: 'bg-hover', icon: 'text-muted', name: 'info' },
} as const satisfies Record<string, { box: string; icon: string; name: IconName }>

/** Something to know before going on: a warning, or a fact. */
export function Callout({
  tone = 'info',
  children,
  action,
}: {
  tone?: keyof typeof tones
  children: ReactNode
  action?: ReactNode
}): ReactNode {
  const { box, icon, name } = tones[tone]
  return (
    <div className={`flex flex-wrap items-start gap-x-2.5 gap-y-2 rounded-md px-3 py-2 ${box}`}>
      <Icon name={name} size={14} className={`mt-0.5 ${icon}`} />
      <div className="min-w-0 grow basis-60 break-words">{children}</div>
      {action}
    </div>
  )
}
