import { type ReactNode, useId, useState } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'

/** What a session or a trigger is given of the catalog. A list that is undefined means the root's own. */
export type ArtifactLists = {
  mcp_servers?: readonly string[] | undefined
  catalog_skills?: readonly string[] | undefined
  catalog_hooks?: readonly string[] | undefined
  catalog_plugins?: readonly string[] | undefined
}

export type ListName = keyof ArtifactLists
type Artifact = { name: string; title: string; problem?: string | undefined }

export const listLabels: Record<ListName, string> = {
  mcp_servers: 'MCP servers',
  catalog_skills: 'Skills',
  catalog_hooks: 'Hooks',
  catalog_plugins: 'Plugins',
}
export const listNames = Object.keys(listLabels) as ListName[]

type Props = {
  lists: ArtifactLists
  /** What the root gives a session that names none. Undefined until it is known: a choice would leave it out. */
  defaults: Record<ListName, readonly string[]> | undefined
  onChange: (lists: ArtifactLists) => void
}

/** Four lists of the catalog, each either the root's own or chosen here. */
export function ArtifactListFields({ lists, defaults, onChange }: Props): ReactNode {
  const offered = useArtifacts()
  return (
    <div className="grid gap-x-6 gap-y-4 md:grid-cols-2">
      {listNames.map((name) => (
        <ListField
          key={name}
          label={listLabels[name]}
          offered={offered[name]}
          chosen={lists[name]}
          defaults={defaults?.[name]}
          onChange={(chosen) => onChange({ ...lists, [name]: chosen })}
        />
      ))}
    </div>
  )
}

type Root = Result<'configs.show'>['agent_roots'][number]

export function listsOfRoot(root: Root | undefined): Record<ListName, readonly string[]> {
  return {
    mcp_servers: root?.default_mcp_servers ?? [],
    catalog_skills: root?.default_skills ?? [],
    catalog_hooks: root?.default_hooks ?? [],
    catalog_plugins: root?.default_plugins ?? [],
  }
}

/** What the catalog has for each of the lists. */
export function useArtifacts(): Record<ListName, readonly Artifact[]> {
  const servers = useRead('mcp_servers.list', {}).data?.mcp_servers ?? []
  const named = ({ id, title }: { id: string; title: string }) => ({ name: id, title })
  const skills = useRead('skills.list', {}).data?.skills ?? []
  const hooks = useRead('hooks.list', {}).data?.hooks ?? []
  const plugins = useRead('plugins.list', {}).data?.plugins ?? []
  return {
    mcp_servers: servers.map(({ name, title, unavailable_reason }) => ({
      name,
      title,
      problem: unavailable_reason ?? undefined,
    })),
    catalog_skills: skills.map(named),
    catalog_hooks: hooks.map(named),
    catalog_plugins: plugins.map(named),
  }
}

type ListFieldProps = {
  label: string
  offered: readonly Artifact[]
  chosen: readonly string[] | undefined
  defaults: readonly string[] | undefined
  onChange: (chosen: readonly string[] | undefined) => void
}

function ListField({ label, offered, chosen, defaults, onChange }: ListFieldProps): ReactNode {
  const id = useId()
  const [isAsked, setAsked] = useState(false)
  const isOpen = isAsked || chosen !== undefined
  const shown = chosen ?? defaults ?? []
  const isEmpty = offered.length + shown.length === 0
  return (
    <fieldset aria-labelledby={id} className="min-w-0">
      <div className="flex min-h-7 items-center justify-between gap-2">
        <span id={id} className="font-medium text-sm">
          {label}
        </span>
        {isOpen ? (
          <Button
            size="sm"
            look="quiet"
            onClick={() => {
              setAsked(false)
              onChange(undefined)
            }}
          >
            Use the root's
          </Button>
        ) : (
          <Button size="sm" look="quiet" disabled={isEmpty || !defaults} onClick={() => setAsked(true)}>
            Choose
            <span className="unseen"> {label}</span>
          </Button>
        )}
      </div>
      {isOpen ? (
        <div className="max-h-48 overflow-y-auto rounded-md border border-line">
          <ArtifactChoices offered={offered} chosen={shown} onChange={onChange} />
        </div>
      ) : (
        <p className="flex min-h-6 flex-wrap items-center gap-1 text-muted text-sm">
          {defaults?.length === 0 && (isEmpty ? 'The catalog has none.' : 'None from the root.')}
          {defaults?.map((name) => (
            <Badge key={name}>{name}</Badge>
          ))}
        </p>
      )}
    </fieldset>
  )
}

type ChoicesProps = {
  offered: readonly Artifact[]
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

/** A box for each entry of the catalog. A name that the catalog no longer has is shown too, so that it can be taken out. */
export function ArtifactChoices({ offered, chosen, onChange }: ChoicesProps): ReactNode {
  const missing = chosen.filter((name) => !offered.some((artifact) => artifact.name === name))
  const rows = [...offered, ...missing.map((name) => ({ name, title: name, problem: 'Not in the catalog' }))]
  return rows.map(({ name, title, problem }) => (
    <label
      key={name}
      className="flex min-h-8 items-center gap-2 border-line border-b px-2.5 py-1 last:border-b-0 hover:bg-hover"
    >
      <input
        type="checkbox"
        checked={chosen.includes(name)}
        onChange={({ currentTarget: { checked } }) =>
          onChange(checked ? [...chosen, name] : chosen.filter((one) => one !== name))
        }
        className="size-3.5 shrink-0"
      />
      <span className="min-w-0 grow truncate">{title}</span>
      {problem && (
        <Badge tone="needs" tip={problem}>
          unavailable
        </Badge>
      )}
    </label>
  ))
}
