import { type ReactNode, useEffect, useRef } from 'react'
import { Badge, Count } from '../../shared/kit/badge.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Menu, type MenuItem } from '../../shared/kit/menu.tsx'
import { dollars } from '../costs/dollars.ts'
import type { BoardSection } from './board-cache.ts'
import type { AttachSection } from './drag.ts'

type SectionHeadingProps = {
  section: BoardSection
  isCollapsed: boolean
  onToggle: () => void
  menuOf: ((section: BoardSection) => Promise<readonly MenuItem[]>) | undefined
  attach?: AttachSection | undefined
}

export function SectionHeading({ section, isCollapsed, onToggle, menuOf, attach }: SectionHeadingProps): ReactNode {
  const { key, title, total, cost_usd, frozen } = section
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (attach && element.current) return attach(element.current, key)
  }, [attach, key])
  return (
    <div
      ref={element}
      className="flex h-9 items-center gap-2 border-line border-b bg-canvas pr-1.5 pl-2 data-[drop]:bg-selected"
    >
      <h2 className="min-w-0">
        <button
          type="button"
          aria-expanded={!isCollapsed}
          onClick={onToggle}
          className="flex h-7 max-w-full items-center gap-1.5 rounded-md pr-1.5 font-semibold text-sm"
        >
          <Icon name={isCollapsed ? 'chevron-right' : 'chevron-down'} size={14} className="text-muted" />
          <span className="truncate">{title}</span>
        </button>
      </h2>
      <Count of={total} label={total === 1 ? 'session' : 'sessions'} />
      {cost_usd > 0 && <span className="tabular text-muted text-sm">{dollars(cost_usd)}</span>}
      {frozen && (
        <Badge icon="snowflake" tip="Its sessions are left out of refresh-all and of recovery">
          frozen
        </Badge>
      )}
      <span className="grow" />
      {menuOf && <Menu label={`Actions of ${title}`} items={() => menuOf(section)} />}
    </div>
  )
}
