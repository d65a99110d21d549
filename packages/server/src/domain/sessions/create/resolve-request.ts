import type { JsonObject } from '@yardmaster/contract/json'
import { limits } from '@yardmaster/contract/limits'
import { type NewSession, notYetSupported, type PriorityClass } from '@yardmaster/contract/session'
import type { Settings } from '@yardmaster/contract/settings'
import { GitFailed } from '../../../platform/git/git-failed.ts'
import { checkRefName } from '../../../platform/git/ref-name.ts'
import { parseRepositoryAddress } from '../../../platform/git/repository-address.ts'
import { refuse } from '../../../platform/refusal.ts'
import { defaultModel } from '../../../runtimes/registry.ts'
import type { Runtime } from '../../../runtimes/runtime.ts'
import type { App } from '../../app.ts'
import { refuseBadPlacement } from './placement.ts'

export type ResolvedRequest = {
  title: string | null
  prompt: string | null
  agent_runtime: string
  git_root: string
  branch: string
  subdirectory: string | null
  goal: string | null
  is_autonomous: boolean
  auto_compact_window: number
  scheduling_class: PriorityClass | null
  config: JsonObject & { model: string }
  warnings: string[]
}

/**
 * What the session will run with: the request's values, else the global setting's, else ours. Everything that is wrong
 * with the request is said at once.
 */
export async function resolveRequest(app: App, request: NewSession, settings: Settings): Promise<ResolvedRequest> {
  if (request.agent_root) {
    refuse('invalid_agent_root', `No agent root named "${request.agent_root}" is in the catalog`)
  }
  refuseBadPlacement(request)
  const runtimeName = request.agent_runtime || settings.default_runtime || app.runtimes.names()[0] || ''
  const runtime = app.runtimes.find(runtimeName)
  const git_root = request.git_root ?? ''
  const branch = request.branch || 'main'
  const subdirectory = given(request.subdirectory)
  const problems = [
    runtime ? [] : `Agent runtime ${runtimeName} is not a valid agent runtime`,
    problemWithGitRoot(git_root),
    request.branch ? await problemWithBranch(branch) : [],
    problemWithSubdirectory(subdirectory),
  ].flat()
  if (!runtime || problems.length > 0) return refuse('validation_failed', problems)
  const config = { ...ownProperties(request.config ?? {}), model: chooseModel(runtime, request, settings) }
  return {
    title: given(request.title),
    prompt: given(request.prompt),
    agent_runtime: runtimeName,
    git_root,
    branch,
    subdirectory,
    goal: given(request.goal),
    is_autonomous: request.is_autonomous ?? true,
    auto_compact_window: request.auto_compact_window ?? limits.autoCompactWindow.max,
    scheduling_class: request.scheduling_class,
    config,
    warnings: warningsAbout(request, { runtime, git_root }),
  }
}

/** Blank is as good as not there; anything else is kept as it was sent. */
function given(text: string | null | undefined): string | null {
  return text && text.trim() !== '' ? text : null
}

function problemWithGitRoot(git_root: string): string[] {
  if (git_root.trim() === '') return ["Git root can't be blank"]
  try {
    parseRepositoryAddress(git_root)
    return []
  } catch (error) {
    if (error instanceof GitFailed) return [`Git root must be a valid URL or git path: ${error.reason}`]
    throw error
  }
}

async function problemWithBranch(branch: string): Promise<string[]> {
  try {
    await checkRefName(branch)
    return []
  } catch (error) {
    if (error instanceof GitFailed && error.kind === 'refused') return ['Branch is not a valid branch name']
    throw error
  }
}

/** Where it leads is checked in the clone, when there is one; here only what no clone could make right. */
function problemWithSubdirectory(subdirectory: string | null): string[] {
  if (subdirectory === null) return []
  const leavesTheClone = subdirectory.startsWith('/') || subdirectory.split('/').includes('..')
  return leavesTheClone ? ['Subdirectory must be a relative path inside the repository'] : []
}

/** A model the caller names must exist; one that only a setting names gives way to the runtime's own default. */
function chooseModel(runtime: Runtime, request: NewSession, settings: Settings): string {
  const valid = runtime.models().map(({ id }) => id)
  const asked = request.config?.model
  if (asked !== undefined && asked !== null) {
    if (typeof asked === 'string' && valid.includes(asked)) return asked
    refuse(
      'invalid_model',
      `Model ${JSON.stringify(asked)} is not a model of ${runtime.name}; valid: ${valid.join(', ')}`,
    )
  }
  const preferred = settings.default_model
  return preferred !== null && valid.includes(preferred) ? preferred : defaultModel(runtime).id
}

/** A copy that keeps a key named `__proto__` as the data it is. */
function ownProperties(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object))
}

function warningsAbout(request: NewSession, { runtime, git_root }: { runtime: Runtime; git_root: string }): string[] {
  const warnings: string[] = []
  if (!request.agent_runtime && runtime.name === 'demo') {
    warnings.push(
      'No agent runtime was named and the default is the built-in demo agent, which only plays back its prompt; set default_runtime in the settings to change that.',
    )
  }
  if (parseRepositoryAddress(git_root).credentials) {
    warnings.push(
      'git_root holds credentials; everyone with an API key can read them. Prefer a credential helper or an SSH key.',
    )
  }
  const unheard = (Object.keys(notYetSupported) as (keyof typeof notYetSupported)[]).filter((key) =>
    saysSomething(request[key]),
  ) // a record's keys are its type's
  if (unheard.length > 0) warnings.push(`Not supported yet, and ignored: ${unheard.join(', ')}.`)
  return warnings
}

function saysSomething(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}
