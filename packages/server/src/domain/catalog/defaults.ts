import type { Settings } from '@yardmaster/contract/settings/fields'
import { refuse } from '../../platform/refusal.ts'
import { defaultModel } from '../../runtimes/registry.ts'
import type { Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import type { Root } from './tree.ts'

/** The root that the caller names; undefined if the caller names none. */
export function findRoot(app: App, name: string | null | undefined): Root | undefined {
  if (!name) return undefined
  const root = app.catalog.current().roots.find(name)
  return root ?? refuse('invalid_agent_root', `No agent root named "${name}" is in the catalog`)
}

/** The runtime of a session that names none: the root's, else the setting's, else the first registered. */
export function runtimeNameFor(app: App, settings: Settings, root: Root | undefined): string {
  return root?.defaultRuntime || settings.default_runtime || app.runtimes.names()[0] || ''
}

/** The model of a session that names none. Skips models that the runtime does not have. */
export function modelFor(runtime: Runtime, settings: Settings, root: Root | undefined): string {
  const valid = runtime.models().map(({ id }) => id)
  const preferred = [root?.defaultModel, settings.default_model].find((model) => model && valid.includes(model))
  return preferred ?? defaultModel(runtime).id
}

/** The goal text for the agent: the catalog's text if the goal is the id of a catalog goal, else the goal itself. */
export function goalText(app: App, goal: string): string {
  const known = app.catalog.current().goals.find(goal.trim())
  return known ? known.description || known.title : goal
}
