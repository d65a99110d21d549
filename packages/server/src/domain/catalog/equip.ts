import type { Transaction } from '../../platform/db/database.ts'
import type { Hook, McpServer, Skill } from '../../runtimes/equipment.ts'
import { type AvailabilityState, availabilityOf, missingNames, takesSignIn } from './availability.ts'
import type { Catalog } from './open-catalog.ts'
import { fillIn } from './secrets/placeholders.ts'
import { type Selection, serversOf } from './selection.ts'
import type { CatalogHook, DeclaredServer } from './tree.ts'

/** The artifacts that a session gets from the current catalog, and those that are unavailable. */
export type CatalogEquipment = {
  /** The tree that it comes from. */
  catalogVersion: string
  mcpServers: McpServer[]
  /** Those that are reached with a stored token: the name that the agent knows, and the catalog's. */
  signedIn: ReadonlyMap<string, string>
  skills: Skill[]
  hooks: Hook[]
  leftOut: LeftOut[]
}

export type LeftOut = {
  kind: 'mcp_server' | 'skill' | 'hook' | 'plugin'
  name: string
  /** State of a server. A user resolves `needs_authorization` and `needs_reauth` by signing in. */
  state?: AvailabilityState
  /** Shown to the agent and to users: the artifact that is unavailable, and the reason. */
  sentence: string
}

/**
 * Substitutes secrets only in selected artifacts. An invalid server does not affect the others. The transaction sees a sign-in that was
 * completed a moment ago.
 */
export async function equipFromCatalog(
  catalog: Catalog,
  selection: Selection,
  tx?: Transaction,
): Promise<CatalogEquipment> {
  const tree = catalog.current()
  const leftOut: LeftOut[] = []
  const plugins = selection.catalog_plugins.flatMap((name) => {
    const plugin = tree.plugins.find(name)
    if (!plugin) leftOut.push(gone('plugin', name))
    return plugin ?? []
  })
  const all = (own: readonly string[], bundled: readonly string[]): string[] => [...new Set([...own, ...bundled])]
  const skillNames = all(
    selection.catalog_skills,
    plugins.flatMap(({ skills }) => skills),
  )
  const hookNames = all(
    selection.catalog_hooks,
    plugins.flatMap(({ hooks }) => hooks),
  )

  const mcpServers: McpServer[] = []
  const signedIn = new Map<string, string>()
  for (const name of serversOf(tree, selection)) {
    const server = await equipServer(catalog, tree.mcpServers.find(name) ?? name, tx)
    if ('sentence' in server) leftOut.push(server)
    else mcpServers.push(server)
    const declared = tree.mcpServers.find(name)
    if (declared && !('sentence' in server) && (await hasToken(catalog, declared, tx)))
      signedIn.set(server.name, declared.name)
  }
  const skills = skillNames.flatMap((name): Skill[] => {
    const skill = tree.skills.find(name)
    if (!skill) leftOut.push(gone('skill', name))
    return skill ? [{ id: skill.plainName, folder: skill.folder, references: skill.references }] : []
  })
  const hooks = hookNames.flatMap((name): Hook[] => {
    const hook = tree.hooks.find(name)
    const equipped = hook ? equipHook(catalog, hook) : gone('hook', name)
    if (!('sentence' in equipped)) return [equipped]
    leftOut.push(equipped)
    return []
  })
  return { catalogVersion: tree.version, mcpServers, signedIn, skills, hooks, leftOut }
}

async function hasToken(catalog: Catalog, server: DeclaredServer, tx: Transaction | undefined): Promise<boolean> {
  if (!takesSignIn(server)) return false
  const { state } = await availabilityOf(catalog, server, tx)
  return state === 'ready' || state === 'token_expired'
}

async function equipServer(
  catalog: Catalog,
  server: DeclaredServer | string,
  tx: Transaction | undefined,
): Promise<McpServer | LeftOut> {
  if (typeof server === 'string') return gone('mcp_server', server)
  const { name } = server
  const { state, reason } = await availabilityOf(catalog, server, tx)
  if (reason !== null) return { kind: 'mcp_server', name, state, sentence: leftOutSentence('mcp_server', name, reason) }
  const filled = fillServer(server, (text) => fillIn(text, catalog.secrets().find))
  const problem = problemWith(filled)
  return problem === undefined
    ? filled
    : { kind: 'mcp_server', name, state, sentence: leftOutSentence('mcp_server', name, problem) }
}

function fillServer({ plainName: name, transport }: DeclaredServer, fill: (text: string) => string): McpServer {
  if (transport.kind === 'stdio') {
    const { kind, command, args, env } = transport
    return { name, kind, command, args: args.map(fill), env: fillFields(env, fill) }
  }
  return { name, kind: transport.kind, url: fill(transport.url), headers: fillFields(transport.headers, fill) }
}

/** Drops fields that are blank after substitution. */
function fillFields(fields: Readonly<Record<string, string>>, fill: (text: string) => string): Record<string, string> {
  const filled = Object.entries(fields).map(([key, text]) => [key, fill(text)] as const)
  return Object.fromEntries(filled.filter(([, value]) => value.trim() !== ''))
}

/** Validates a server after substitution. The message never quotes the value, which may be a secret. */
function problemWith(server: McpServer): string | undefined {
  if (server.kind === 'stdio') {
    const texts = [...server.args, ...Object.values(server.env)]
    return texts.some((text) => text.includes('\0')) ? 'an argument or variable holds a NUL character' : undefined
  }
  if (!/^https?:\/\//i.test(server.url) || !URL.canParse(server.url)) return 'its url is not an http address'
  const hasBadHeader = Object.values(server.headers).some((value) => /[^\t\x20-\x7e\x80-\xff]/.test(value))
  return hasBadHeader ? 'a header holds characters that no header can hold' : undefined
}

function equipHook(catalog: Catalog, hook: CatalogHook): Hook | LeftOut {
  const without = (reason: string): LeftOut => ({
    kind: 'hook',
    name: hook.name,
    sentence: leftOutSentence('hook', hook.name, reason),
  })
  const { plainName: id, folder, event, command, args, env, timeoutSeconds, matcher } = hook
  if (event === undefined) return without('its event is not known')
  const missing = missingNames(catalog, Object.values(env))
  if (missing.length > 0) return without(`${missing.map((name) => `\`${name}\``).join(', ')} unresolved`)
  const filled = fillFields(env, (text) => fillIn(text, catalog.secrets().find))
  if (Object.values(filled).some((value) => value.includes('\0'))) return without('a variable holds a NUL character')
  return { id, folder, event, command, args, env: filled, timeoutSeconds, matcher }
}

const words = { mcp_server: 'MCP server', skill: 'skill', hook: 'hook', plugin: 'plugin' } as const

function leftOutSentence(kind: LeftOut['kind'], name: string, reason: string): string {
  return `The ${words[kind]} ${name} is left out: ${reason}.`
}

function gone(kind: LeftOut['kind'], name: string): LeftOut {
  return { kind, name, sentence: leftOutSentence(kind, name, 'the catalog no longer has it') }
}
