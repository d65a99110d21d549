import { useNavigate, useSearch } from '@tanstack/react-router'
import { estimatedCosts } from '@yardmaster/contract/backlog/vocabulary'
import { type ReactNode, useState } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { useCommands } from '../../shared/keys/commands.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { counted } from '../../shared/kit/counted.ts'
import { Select } from '../../shared/kit/field.tsx'
import { filterChoices } from '../../shared/kit/filter-choices.ts'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Pager } from '../../shared/kit/pager.tsx'
import { Tabs } from '../../shared/kit/tabs.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { AppendDialog } from './append-dialog.tsx'
import { BacklogList } from './backlog-list.tsx'
import type { BacklogSearch, View } from './backlog-search.ts'
import { ItemDetails } from './item-details.tsx'
import { PinDialog, RemoveDialog } from './item-dialogs.tsx'
import { PullDialog } from './pull-dialog.tsx'
import type { Item } from './rank.ts'
import { usePlacing } from './use-placing.ts'

type Open = { dialog: 'details' | 'remove' | 'pin'; item: Item } | { dialog: 'append' | 'pull' }

const empty: Record<View, { title: string; text: string }> = {
  queued: {
    title: 'The queue is empty',
    text: 'Work that waits for a free agent is queued here, by people, agents and gates. Add work, or let a gate append it.',
  },
  in_flight: { title: 'Nothing is in flight', text: 'Started items are here while their session runs or waits.' },
  parked: { title: 'Nothing is parked', text: 'Started items are here while their session needs a person.' },
  started: { title: 'Nothing was started yet', text: 'Items stay here as history when they are started.' },
  removed: { title: 'Nothing was removed', text: 'Items stay here as history when they are removed, with the reason.' },
}

export default function BacklogPage(): ReactNode {
  const search: BacklogSearch = useSearch({ from: '/shell/backlog' })
  const navigate = useNavigate()
  const [open, setOpen] = useState<Open>()
  const { status = 'queued', cost, page = 1, ...exact } = search
  const { data, error, isLoading, refetch } = useRead('work_backlog_items.list', {
    per_page: 100,
    page,
    status,
    ...exact,
    ...(cost && { estimated_cost: cost }),
  })
  const toasts = useToasts()
  const ask = useWrite('work_backlog_items.check_issues', {
    onSuccess: ({ due }) =>
      toasts.say(
        due === 0
          ? 'No issue of the forge is queued, or all were asked about within the last minute'
          : `The forge is asked about ${counted(due, 'issue', 'issues')}`,
      ),
  })
  const items = data?.work_backlog_items ?? []
  const placing = usePlacing(items, data?.counts.queued ?? 0)
  const change = (changes: BacklogSearch, options = {}) =>
    void navigate({ to: '/backlog', search: { ...search, page: undefined, ...changes }, ...options })
  const close = () => setOpen(undefined)
  useCommands([
    {
      id: 'backlog.add',
      label: 'Add work',
      group: 'Backlog',
      icon: 'plus',
      keys: 'a',
      run: () => setOpen({ dialog: 'append' }),
    },
    {
      id: 'backlog.pull',
      label: 'Pull from the top',
      group: 'Backlog',
      icon: 'play',
      keys: 'p',
      run: () => setOpen({ dialog: 'pull' }),
    },
  ])
  const counts = data?.counts
  return (
    <Page
      title="Backlog"
      note={counts && `${counts.queued} queued${counts.pinned > 0 ? `, ${counts.pinned} of them pinned` : ''}`}
      actions={
        <>
          <Button icon="refresh-cw" isBusy={ask.isPending} onClick={() => ask.mutate({})}>
            Ask the forge
          </Button>
          <Button icon="play" onClick={() => setOpen({ dialog: 'pull' })}>
            Pull
          </Button>
          <Button look="primary" icon="plus" onClick={() => setOpen({ dialog: 'append' })}>
            Add work
          </Button>
        </>
      }
    >
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        <Tabs
          label="Items by status"
          selected={status}
          onSelect={(chosen) => change({ status: chosen === 'queued' ? undefined : chosen })}
          tabs={[
            { name: 'queued', label: 'Queue', count: counts?.queued ?? 0 },
            { name: 'in_flight', label: 'In flight', count: counts?.in_flight ?? 0 },
            { name: 'parked', label: 'Parked', count: counts?.parked ?? 0 },
            { name: 'started', label: 'Started', count: counts?.started ?? 0 },
            { name: 'removed', label: 'Removed', count: counts?.removed ?? 0 },
          ]}
        >
          <Filters search={search} values={data?.filter_values ?? none} onChange={change} />
          {isLoading && <Skeleton />}
          {data && items.length === 0 && (
            <EmptyState
              icon="flag"
              title={empty[status].title}
              action={status === 'queued' && <Button onClick={() => setOpen({ dialog: 'append' })}>Add work</Button>}
            >
              {empty[status].text}
            </EmptyState>
          )}
          <BacklogList
            items={items}
            placing={placing}
            isQueue={status === 'queued'}
            onOpen={(item) => setOpen({ dialog: 'details', item })}
            onRemove={(item) => setOpen({ dialog: 'remove', item })}
            onPinAt={(item) => setOpen({ dialog: 'pin', item })}
          />
          {data && <Pager of={data.pagination} onPage={(page, options) => change({ page }, options)} />}
        </Tabs>
      </Panel>
      {open?.dialog === 'append' && <AppendDialog onClose={close} />}
      {open?.dialog === 'pull' && <PullDialog items={items} onClose={close} />}
      {open?.dialog === 'details' && <ItemDetails item={open.item} onClose={close} />}
      {open?.dialog === 'remove' && <RemoveDialog item={open.item} onClose={close} />}
      {open?.dialog === 'pin' && <PinDialog item={open.item} placing={placing} onClose={close} />}
    </Page>
  )
}

const none = { repos: [], surfaces: [], kinds: [] }

type FiltersProps = {
  search: BacklogSearch
  values: Result<'work_backlog_items.list'>['filter_values']
  onChange: (changes: BacklogSearch) => void
}

function Filters({ search, values, onChange }: FiltersProps): ReactNode {
  return (
    <div className="grid grid-cols-2 gap-2 border-line border-b p-2 md:flex md:*:w-40">
      <Select
        label="Cost"
        isLabelHidden
        value={search.cost ?? ''}
        onChange={(event) => onChange({ cost: estimatedCosts.find((cost) => cost === event.currentTarget.value) })}
        options={[{ value: '', label: 'Any cost' }, ...estimatedCosts.map((cost) => ({ value: cost, label: cost }))]}
      />
      <Select
        label="Repository"
        isLabelHidden
        value={search.repo ?? ''}
        onChange={(event) => onChange({ repo: event.currentTarget.value || undefined })}
        options={filterChoices('Any repository', [search.repo, ...values.repos])}
      />
      <Select
        label="Surface"
        isLabelHidden
        value={search.surface ?? ''}
        onChange={(event) => onChange({ surface: event.currentTarget.value || undefined })}
        options={filterChoices('Any surface', [search.surface, ...values.surfaces])}
      />
      <Select
        label="Kind"
        isLabelHidden
        value={search.kind ?? ''}
        onChange={(event) => onChange({ kind: event.currentTarget.value || undefined })}
        options={filterChoices('Any kind', [search.kind, ...values.kinds])}
      />
      <Select
        label="Pinned"
        isLabelHidden
        value={search.pinned === undefined ? '' : String(search.pinned)}
        onChange={({ currentTarget: { value } }) => onChange({ pinned: value === '' ? undefined : value === 'true' })}
        options={[
          { value: '', label: 'Pinned or not' },
          { value: 'true', label: 'Pinned' },
          { value: 'false', label: 'Not pinned' },
        ]}
      />
    </div>
  )
}
