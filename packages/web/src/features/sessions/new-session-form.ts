import type { Input, Result } from '../../shared/api/client.ts'
import type { ArtifactLists } from '../catalog/artifact-lists.tsx'

type Configs = Result<'configs.show'>
export type Root = Configs['agent_roots'][number]

/** What a person has typed. Empty means the default. */
export type NewSessionValues = {
  prompt: string
  /** Undefined until a person chooses; empty for none. */
  root?: string
  repository: string
  branch: string
  subdirectory: string
  runtime: string
  model: string
  goal: string
  title: string
  schedulingClass: '' | 'spot' | 'priority'
  category: string
  compactWindow: string
  asksPermission: boolean
  runsCommands: boolean
  lists: ArtifactLists
}

export const emptyForm: NewSessionValues = {
  prompt: '',
  repository: '',
  branch: '',
  subdirectory: '',
  runtime: '',
  model: '',
  goal: '',
  title: '',
  schedulingClass: '',
  category: '',
  compactWindow: '',
  asksPermission: false,
  runsCommands: false,
  lists: {},
}

/** Roots that people are offered, the default one first. */
export function offeredRoots(configs: Configs | undefined): Root[] {
  const roots = (configs?.agent_roots ?? []).filter(({ user_invocable }) => user_invocable)
  return roots.toSorted((one, other) => Number(other.default) - Number(one.default))
}

export function requestOf(
  values: NewSessionValues,
  root: Root | undefined,
): Omit<Input<'sessions.create'>, 'idempotency_key'> {
  const given = (text: string) => text.trim() || undefined
  const config = {
    ...(values.model && { model: values.model }),
    ...(values.asksPermission && { permissions: 'ask' }),
    ...(values.runsCommands && { cli_commands: true }),
  }
  const { mcp_servers, catalog_skills, catalog_hooks, catalog_plugins } = values.lists
  return {
    prompt: values.prompt,
    agent_root: root?.name,
    git_root: given(values.repository),
    branch: given(values.branch),
    subdirectory: given(values.subdirectory),
    agent_runtime: given(values.runtime),
    goal: given(values.goal),
    title: given(values.title),
    scheduling_class: values.schedulingClass || undefined,
    auto_compact_window: values.compactWindow === '' ? undefined : Number(values.compactWindow),
    ...(Object.keys(config).length > 0 && { config }),
    ...(mcp_servers && { mcp_servers: [...mcp_servers] }),
    ...(catalog_skills && { catalog_skills: [...catalog_skills] }),
    ...(catalog_hooks && { catalog_hooks: [...catalog_hooks] }),
    ...(catalog_plugins && { catalog_plugins: [...catalog_plugins] }),
  }
}

/** Lines that the demo agent works through: enough to watch, to queue a message, to interrupt and to answer. */
export const demoPrompt = [
  'say Hello! I am the demo agent. I have no model: I work through my prompt line by line.',
  'run git log --oneline',
  'think A person may want to see a question as well.',
  'sleep 20',
  'ask Which part of the yard should I look at next?',
  'say Thank you. That was all: archive me, or send me another line.',
].join('\n')
