import { type KeyboardEvent, type ReactNode, useEffect, useId } from 'react'
import { Count } from './badge.tsx'

type Tab<Name extends string> = { name: Name; label: string; count?: number }

type TabsProps<Name extends string> = {
  label: string
  tabs: readonly Tab<Name>[]
  selected: Name
  onSelect: (name: Name) => void
  /** The content of the selected tab. */
  children: ReactNode
}

/** The selected tab usually comes from the address, so that it can be linked and survives a reload. */
export function Tabs<Name extends string>(props: TabsProps<Name>): ReactNode {
  const { label, tabs, selected, onSelect, children } = props
  const id = useId()
  const counts = tabs.map(({ count }) => count).join()
  // On a phone the selected tab may stand beyond the edge, also when the counts have made others wider.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the counts decide where it stands.
  useEffect(() => {
    const tab = document.getElementById(`${id}-${selected}`)
    const list = tab?.parentElement
    if (list && list.scrollWidth > list.clientWidth) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [id, selected, counts])
  const move = (event: KeyboardEvent, index: number) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const next = step && tabs[(index + step + tabs.length) % tabs.length]
    if (!next) return
    event.preventDefault()
    onSelect(next.name)
    document.getElementById(`${id}-${next.name}`)?.focus()
  }
  return (
    <>
      <div role="tablist" aria-label={label} className="flex shrink-0 gap-1 overflow-x-auto border-line border-b px-2">
        {tabs.map(({ name, label, count }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === selected}
            aria-controls={`${id}-panel`}
            tabIndex={name === selected ? 0 : -1}
            onClick={() => onSelect(name)}
            onKeyDown={(event) => move(event, index)}
            className="-mb-px inline-flex h-9 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-2 font-medium text-muted hover:text-text aria-selected:border-accent aria-selected:text-text"
          >
            {label}
            {count !== undefined && <Count of={count} />}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} className="min-h-0 grow">
        {children}
      </div>
    </>
  )
}
