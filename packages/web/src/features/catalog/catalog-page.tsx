import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Callout } from '../../shared/kit/callout.tsx'
import { Code } from '../../shared/kit/copy-button.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Tabs } from '../../shared/kit/tabs.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type CatalogEntry, useCatalog } from './catalog-entries.ts'
import type { CatalogKind, CatalogSearch } from './catalog-search.ts'
import { useCatalogState } from './use-catalog-state.ts'

const kinds: Record<CatalogKind, { label: string; one: string; empty: string }> = {
  roots: { label: 'Roots', one: 'Root', empty: 'A root names a repository and the defaults of its sessions.' },
  servers: { label: 'MCP servers', one: 'MCP server', empty: 'An MCP server gives agents tools.' },
  skills: { label: 'Skills', one: 'Skill', empty: 'A skill is a folder of instructions that an agent can read.' },
  hooks: { label: 'Hooks', one: 'Hook', empty: 'A hook runs on an event of an agent.' },
  plugins: { label: 'Plugins', one: 'Plugin', empty: 'A plugin brings servers, skills and hooks together.' },
}
const kindNames = Object.keys(kinds) as CatalogKind[]

export default function CatalogPage(): ReactNode {
  const { kind = 'roots', find = '' }: CatalogSearch = useSearch({ from: '/shell/catalog' })
  const navigate = useNavigate()
  const { entries, error, isLoading } = useCatalog()
  const catalog = useCatalogState()
  const toasts = useToasts()
  const reload = useWrite('catalog.refresh', {
    onSuccess: ({ catalog: { version, degraded } }) => {
      if (!degraded)
        toasts.say(version === catalog?.version ? 'The files have not changed' : 'The catalog was read again')
    },
  })
  const words = find.toLowerCase()
  const shown = entries[kind].filter(({ name, title, description }) =>
    `${name} ${title} ${description}`.toLowerCase().includes(words),
  )
  const search = (text: string) =>
    void navigate({ to: '/catalog', search: { kind, ...(text && { find: text }) }, replace: true })
  return (
    <Page
      title="Catalog"
      note={catalog ? `${catalog.name}: what sessions can be made of` : 'What sessions can be made of'}
      actions={
        <>
          <TextField
            label="Filter"
            isLabelHidden
            type="search"
            placeholder="Filter"
            value={find}
            onChange={(event) => search(event.currentTarget.value)}
          />
          <Button icon="refresh-cw" isBusy={reload.isPending} onClick={() => reload.mutate({})}>
            Read again
          </Button>
        </>
      }
    >
      <ErrorNote error={error} />
      {catalog?.degraded && (
        <Callout tone="needs">
          The files of the catalog are invalid, so the last valid ones are used. {catalog.error}
        </Callout>
      )}
      {catalog?.warnings.map((warning) => (
        <Callout key={warning} tone="needs">
          {warning}
        </Callout>
      ))}
      <Panel>
        <Tabs
          label="Kinds of entries"
          tabs={kindNames.map((name) => ({ name, label: kinds[name].label, count: entries[name].length }))}
          selected={kind}
          onSelect={(name) => void navigate({ to: '/catalog', search: { kind: name, ...(find && { find }) } })}
        >
          {isLoading && <Skeleton rows={3} />}
          {!isLoading && shown.length === 0 && (
            <EmptyState icon="book-open" title={find ? `Nothing matches “${find}”` : `No ${kinds[kind].label}`}>
              {kinds[kind].empty} Entries are files of the catalog.
            </EmptyState>
          )}
          {shown.map((entry) => (
            <Entry key={entry.name} entry={entry} isOpen={shown.length === 1} />
          ))}
        </Tabs>
      </Panel>
    </Page>
  )
}

function Entry({ entry, isOpen }: { entry: CatalogEntry; isOpen: boolean }): ReactNode {
  const { name, title, description, problem, facts, uses, usedBy } = entry
  const used = uses.filter(({ names }) => names.length > 0)
  return (
    <details open={isOpen} className="group border-line border-b last:border-b-0">
      <summary className="flex min-h-10 list-none items-center gap-2 px-3 py-1.5 hover:bg-hover">
        <Icon
          name="chevron-right"
          size={14}
          className="shrink-0 text-faint transition-transform group-open:rotate-90"
        />
        <span className="min-w-0 shrink-0 truncate font-medium md:w-48">{title}</span>
        <span className="min-w-0 grow truncate text-muted">{description}</span>
        {problem && (
          <Badge tone="needs" icon="triangle-alert">
            unavailable
          </Badge>
        )}
      </summary>
      <div className="flex flex-col gap-2 px-3 pt-1 pb-3 md:pl-9">
        {problem && <p className="break-words text-needs">{problem}</p>}
        <p className="text-muted md:hidden">{description}</p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          <Fact label="Name">
            <Code label="name">{name}</Code>
          </Fact>
          {facts.map(({ label, value }) => (
            <Fact key={label} label={label}>
              {value}
            </Fact>
          ))}
          {used.map(({ kind, names }) => (
            <Fact key={kind} label={kinds[kind].label}>
              <span className="flex flex-wrap gap-1">
                {names.map((each) => (
                  <EntryLink key={each} kind={kind} name={each} />
                ))}
              </span>
            </Fact>
          ))}
          <Fact label="Used by">
            <span className="flex flex-wrap gap-1">
              {usedBy.length === 0 && <span className="text-muted">no root or plugin</span>}
              {usedBy.map((user) => (
                <EntryLink key={`${user.kind} ${user.name}`} {...user} isKindShown />
              ))}
            </span>
          </Fact>
        </dl>
      </div>
    </details>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

function EntryLink({ kind, name, isKindShown }: { kind: CatalogKind; name: string; isKindShown?: boolean }): ReactNode {
  return (
    <Link
      to="/catalog"
      search={{ kind, find: name }}
      className="inline-flex h-6 max-w-full items-center rounded-sm bg-hover px-1.5 text-sm hover:bg-selected hover:text-accent-text"
    >
      <span className="truncate">{isKindShown ? `${kinds[kind].one} ${name}` : name}</span>
    </Link>
  )
}
