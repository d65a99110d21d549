import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Icon } from '../../shared/kit/icon.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import { statusWord } from '../../shared/kit/status.tsx'
import type { SearchSearch } from './search-search.ts'

type Choice = { value: string; label: string }
type FilterName = 'status' | 'agent_runtime' | 'priority_class' | 'genesis'

const statuses = ['waiting', 'running', 'needs_input', 'failed', 'archived'] as const
const origins: readonly Choice[] = [
  { value: 'web_ui', label: 'Dashboard' },
  { value: 'api', label: 'API' },
  { value: 'schedule', label: 'Schedule' },
  { value: 'chat', label: 'Chat' },
  { value: 'forge_issue', label: 'New issue' },
  { value: 'forge_label', label: 'Label' },
  { value: 'ao_event', label: 'Another session' },
]

/** One chip a filter: a menu while it is open, and a button that takes it away while it is set. */
export function SearchFilters({ search }: { search: SearchSearch }): ReactNode {
  const navigate = useNavigate()
  const runtimes = Object.keys(useRead('configs.show', {}).data?.runtime_models ?? {})
  const set = (changes: Partial<Record<keyof SearchSearch, string | boolean | undefined>>) => {
    const next = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined)
    void navigate({ to: '/search', search: Object.fromEntries(next) })
  }
  const filters: readonly { name: FilterName; label: string; choices: readonly Choice[] }[] = [
    { name: 'status', label: 'Status', choices: statuses.map((value) => ({ value, label: statusWord(value) })) },
    { name: 'agent_runtime', label: 'Runtime', choices: runtimes.map((value) => ({ value, label: value })) },
    {
      name: 'priority_class',
      label: 'Class',
      choices: [
        { value: 'priority', label: 'Priority' },
        { value: 'spot', label: 'Spot' },
      ],
    },
    { name: 'genesis', label: 'Origin', choices: origins },
  ]
  return (
    <fieldset aria-label="Filters" className="flex flex-wrap items-center gap-1.5">
      <Toggle
        label="In transcripts"
        isOn={search.contents !== false}
        onChange={(isOn) => set({ contents: isOn ? undefined : false })}
      />
      <Toggle
        label="With archived"
        isOn={search.archived === true}
        onChange={(isOn) => set({ archived: isOn ? true : undefined })}
      />
      {filters.map(({ name, label, choices }) => {
        const value = search[name]
        const chosen = choices.find((choice) => choice.value === value)?.label ?? value
        return value === undefined ? (
          <Menu
            key={name}
            label={`Filter by ${label.toLowerCase()}`}
            look="quiet"
            icon="plus"
            items={choices.map((choice) => ({
              label: choice.label,
              onSelect: () => set({ [name]: choice.value }),
            }))}
          >
            {label}
          </Menu>
        ) : (
          <button
            key={name}
            type="button"
            onClick={() => set({ [name]: undefined })}
            className="inline-flex h-7 items-center gap-1 rounded-full bg-selected px-2.5 font-medium text-accent-text text-sm hover:bg-hover"
          >
            <span className="unseen">Remove the filter </span>
            {label}: {chosen}
            <Icon name="x" size={12} />
          </button>
        )
      })}
    </fieldset>
  )
}

function Toggle({
  label,
  isOn,
  onChange,
}: {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={() => onChange(!isOn)}
      className="inline-flex h-7 items-center gap-1 rounded-full border border-line-strong px-2.5 font-medium text-muted text-sm hover:bg-hover aria-pressed:border-transparent aria-pressed:bg-selected aria-pressed:text-accent-text"
    >
      {isOn && <Icon name="check" size={12} />}
      {label}
    </button>
  )
}
