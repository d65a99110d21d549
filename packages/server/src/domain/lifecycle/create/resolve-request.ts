import type { JsonObject } from '@yardmaster/contract/json'
import { limits } from '@yardmaster/contract/limits'
import type { NewSession, PriorityClass } from '@yardmaster/contract/sessions/fields'
import type { Settings } from '@yardmaster/contract/settings/fields'
import { GitFailed } from '../../../platform/git/git-failed.ts'
import { checkRefName } from '../../../platform/git/ref-name.ts'
import { parseRepositoryAddress } from '../../../platform/git/repository-address.ts'
import { refuse } from '../../../platform/refusal.ts'
import type { Runtime } from '../../../runtimes/runtime.ts'
import type { App } from '../../app.ts'
import {
  findRoot,
  modelFor,
  type Root,
  runtimeNameFor,
  type Selection,
  selectArtifacts,
  warningsAbout as warningsAboutServers,
} from '../../catalog/catalog.ts'
import { type SessionMetadata, selectSession } from '../../sessions/session.ts'
import { unknownParent } from './parent.ts'
import { refuseBadPlacement } from './placement.ts'

export type ResolvedRequest = Selection & {
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
  metadata: SessionMetadata
  warnings: string[]
  /** The warnings about servers, which also go into the session's log. */
  serverWarnings: string[]
}

/**
 * The values that the session runs with: from the request, else from its root, else from the settings, else the built-in
 * default. A refusal lists every problem of the request.
 */
export async function resolveRequest(app: App, request: NewSession, settings: Settings): Promise<ResolvedRequest> {
  const catalog = app.catalog.current()
  const root = findRoot(app, request.agent_root)
  refuseBadPlacement(request)
  const runtimeName = request.agent_runtime || runtimeNameFor(app, settings, root)
  const runtime = app.runtimes.find(runtimeName)
  const git_root = presence(request.git_root) ?? root?.url ?? ''
  const branch = request.branch || root?.defaultBranch || 'main'
  const subdirectory = presence(request.subdirectory ?? root?.subdirectory)
  const { selection, problems: unknownNames } = selectArtifacts(catalog, request, root)
  const problems = [
    runtime ? [] : `Agent runtime ${runtimeName} is not a valid agent runtime`,
    problemWithGitRoot(app, git_root),
    request.branch || root ? await problemWithBranch(branch) : [],
    problemWithSubdirectory(subdirectory),
    await problemWithParent(app, request),
    problemWithPermissions(request),
    unknownNames,
  ].flat()
  if (!runtime || problems.length > 0) return refuse('validation_failed', problems)
  const config = { ...ownProperties(request.config ?? {}), model: chooseModel(runtime, request, { settings, root }) }
  const serverWarnings = await warningsAboutServers(app.catalog, selection)
  return {
    ...selection,
    title: presence(request.title),
    prompt: presence(request.prompt),
    agent_runtime: runtimeName,
    git_root,
    branch,
    subdirectory,
    goal: presence(request.goal ?? root?.defaultGoal),
    is_autonomous: request.is_autonomous ?? true,
    auto_compact_window: request.auto_compact_window ?? limits.autoCompactWindow.max,
    scheduling_class: request.scheduling_class ?? null,
    config,
    metadata: initialMetadata(request, { root, selection, catalogVersion: catalog.version }),
    warnings: [...warningsAbout(request, { runtime, git_root, root }), ...serverWarnings],
    serverWarnings,
  }
}

/** Null for a blank text; any other text unchanged, surrounding spaces included. */
function presence(text: string | null | undefined): string | null {
  return text && text.trim() !== '' ? text : null
}

function problemWithGitRoot({ gitHosts }: App, git_root: string): string[] {
  if (git_root.trim() === '') return ["Git root can't be blank"]
  try {
    const problem = gitHosts.problemWith(parseRepositoryAddress(git_root))
    return problem === undefined ? [] : [`Git root cannot be used: ${problem}`]
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

/** Rejects only paths that are wrong for every clone. Whether the directory exists is checked in the clone. */
function problemWithSubdirectory(subdirectory: string | null): string[] {
  if (subdirectory === null) return []
  const leavesTheClone = subdirectory.startsWith('/') || subdirectory.split('/').includes('..')
  return leavesTheClone ? ['Subdirectory must be a relative path inside the repository'] : []
}

function problemWithPermissions({ config }: NewSession): string[] {
  const permissions = config?.permissions ?? null
  return permissions === null || permissions === 'ask' ? [] : ['Config permissions must be ask, or absent']
}

/** Checked here so that it is reported with the other problems. `lockParent` checks it again when the session is written. */
async function problemWithParent(app: App, { parent_session_id: ref }: NewSession): Promise<string[]> {
  return ref && !(await selectSession(app.db, ref)) ? [unknownParent] : []
}

/** A model in the request must be valid. An invalid one from a root or a setting falls back to the next default. */
function chooseModel(
  runtime: Runtime,
  request: NewSession,
  { settings, root }: { settings: Settings; root: Root | undefined },
): string {
  const valid = runtime.models().map(({ id }) => id)
  const requested = request.config?.model
  if (requested !== undefined && requested !== null) {
    if (typeof requested === 'string' && valid.includes(requested)) return requested
    refuse(
      'invalid_model',
      `Model ${JSON.stringify(requested)} is not a model of ${runtime.name}; valid: ${valid.join(', ')}`,
    )
  }
  return modelFor(runtime, settings, root)
}

/** Records the root, the catalog version and whether the caller asked for no MCP servers. */
function initialMetadata(
  request: NewSession,
  { root, selection, catalogVersion }: { root: Root | undefined; selection: Selection; catalogVersion: string },
): SessionMetadata {
  const usesCatalog = root !== undefined || Object.values(selection).some((list) => list.length > 0)
  return {
    ...(root && { agent_root_key: root.name }),
    ...(root?.permissions === 'ask' && { asks_people: true as const }),
    ...(usesCatalog && { catalog_version: catalogVersion }),
    ...(request.mcp_servers && selection.mcp_servers.length === 0 && { mcp_servers_explicitly_empty: true as const }),
  }
}

/** A copy in which a key named `__proto__` stays an ordinary key. */
function ownProperties(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object))
}

function warningsAbout(
  request: NewSession,
  { runtime, git_root, root }: { runtime: Runtime; git_root: string; root: Root | undefined },
): string[] {
  const warnings: string[] = []
  if (!request.agent_runtime && !root?.defaultRuntime && runtime.name === 'demo') {
    warnings.push(
      'The request names no agent runtime, and the default is the built-in demo agent, which only plays back its prompt. Set default_runtime in the settings to change the default.',
    )
  }
  if (parseRepositoryAddress(git_root).credentials) {
    warnings.push(
      'git_root contains credentials, which every caller with an API key can read. Use a credential helper or an SSH key instead.',
    )
  }
  return warnings
}
