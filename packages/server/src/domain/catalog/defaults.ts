import type { Settings } from '@yardmaster/contract/settings'
import { refuse } from '../../platform/refusal.ts'
import { defaultModel } from '../../runtimes/registry.ts'
import type { Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import type { Root } from './tree.ts'

/** The root a caller names, or undefined if they name none. */
export function findRoot(app: App, name: string | null | undefined): Root | undefined {
  if (!name) return undefined
  const root = app.catalog.current().roots.find(name)
  return root ?? refuse('invalid_agent_root', `No agent root named "${name}" is in the catalog`)
}

/** What runs a session that names no runtime: the root's, else the setting's, else the first that is registered. */
export function runtimeNameFor(app: App, settings: Settings, root: Root | undefined): string {
  return root?.defaultRuntime || settings.default_runtime || app.runtimes.names()[0] || ''
}

/** The model of a session that names none. One that is not of this runtime gives way to the next in line. */
export function modelFor(runtime: Runtime, settings: Settings, root: Root | undefined): string {
  const valid = runtime.models().map(({ id }) => id)
  const preferred = [root?.defaultModel, settings.default_model].find((model) => model && valid.includes(model))
  return preferred ?? defaultModel(runtime).id
}

/** What the agent is told of a goal: the catalog's words where it is the id of one of its goals, else the goal itself. */
export function goalText(app: App, goal: string): string {
  const known = app.catalog.current().goals.find(goal.trim())
  return known ? known.description || known.title : goal
}
