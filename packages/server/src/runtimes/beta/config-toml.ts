import type { ServedLogin } from '../accounts/vendor-accounts.ts'
import type { Equipment } from '../equipment.ts'
import type { TurnOrder } from '../runtime.ts'
import { mcpTables } from './mcp-servers.ts'
import { type TomlTable, toToml } from './toml.ts'

/** How codex reaches its model. */
export type Access = {
  /** Provider keys and other variables that tools must not see. */
  environment: Readonly<Record<string, string>>
  /** A server that speaks OpenAI's Responses API; the vendor's if undefined. */
  baseUrl: string | undefined
  /** A login that `codex login` wrote on this host. */
  authFile: string | undefined
  /** The account that serves the turn. */
  login?: ServedLogin | undefined
}

/** How codex reaches its model in one turn. Keys of the host would override the account that serves it. */
export function accessOf(access: Access, login: ServedLogin | undefined): Access {
  return login ? { environment: {}, baseUrl: access.baseUrl, authFile: undefined, login } : access
}

/** The variables that may hold a key, in order of preference. */
const keyNames = ['OPENAI_API_KEY', 'CODEX_API_KEY']

const ownProvider = 'yardmaster'

/** The provider to use. Codex has to be told again when it resumes a thread. */
export function providerName(access: Access): string {
  return usesLogin(access) ? 'openai' : ownProvider
}

function usesLogin({ environment, authFile, login }: Access): boolean {
  if (login) return true
  return authFile !== undefined && keyName(environment) === undefined
}

function keyName(environment: Access['environment']): string | undefined {
  return keyNames.find((name) => environment[name] !== undefined)
}

/** What of a turn is in the configuration. */
export type ConfigOrder = Pick<TurnOrder, 'equipment' | 'hasNoTools' | 'compactWindow'>

/** Codex's `config.toml`. It holds secrets of MCP servers, so only our user may read the file. */
export function configToml(
  access: Access,
  folders: readonly string[],
  { equipment, hasNoTools = false, compactWindow }: ConfigOrder,
): string {
  return toToml({
    model_provider: providerName(access),
    ...(usesLogin(access) && access.baseUrl !== undefined && { openai_base_url: access.baseUrl }),
    // At most what the model has.
    model_auto_compact_token_limit: compactWindow,
    // Turns are unattended and run without a sandbox.
    approval_policy: 'never',
    sandbox_mode: 'danger-full-access',
    // For `codex exec`; the app server gets the instructions with each thread.
    ...(equipment.instructions !== '' && { developer_instructions: equipment.instructions }),
    check_for_update_on_startup: false,
    analytics: { enabled: false },
    otel: { exporter: 'none' },
    ...(hasNoTools && { web_search: 'disabled' }),
    features: hasNoTools ? { ...features, ...noTools } : features,
    shell_environment_policy: toolEnvironment(access),
    model_providers: { [ownProvider]: provider(access) },
    // Codex runs the MCP servers and hooks of a repository that it trusts. Without an entry it adds one and trusts it.
    projects: Object.fromEntries(folders.map((folder) => [folder, { trust_level: trustOf(equipment) }])),
    mcp_servers: mcpTables(equipment.mcpServers),
  })
}

function trustOf({ usesRepositoryConfiguration }: Equipment): string {
  return usesRepositoryConfiguration ? 'trusted' : 'untrusted'
}

const features: TomlTable = {
  // With these enabled codex waits 5 s at exit for a catalogue of plugins; without them it exits in 0.4 s.
  plugins: false,
  remote_plugin: false,
  apps: false,
  daemon_auto_start: false,
  // Codex would continue after the turn without a prompt.
  goals: false,
  // Codex would retry forever without a network.
  unbounded_connection_retries: false,
}

/** With these codex offers its model no tool at all. */
const noTools: TomlTable = {
  shell_tool: false,
  unified_exec: false,
  view_image: false,
  image_generation: false,
  multi_agent: false,
  sleep_tool: false,
  skill_search: false,
  tool_suggest: false,
  computer_use: false,
  browser_use: false,
}

/**
 * Tools inherit the agent's environment without its keys. Codex's default would also remove every variable named key, secret or
 * token, including those that the session gives its agent to work with.
 */
export function toolEnvironment({ environment }: Access): TomlTable {
  return { inherit: 'all', ignore_default_excludes: true, exclude: secretNames(environment) }
}

export function secretNames(environment: Access['environment']): string[] {
  return [...new Set([...keyNames, ...Object.keys(environment)])]
}

function provider(access: Access): TomlTable {
  const { environment, baseUrl } = access
  // Without a key for the vendor's address, codex's error should name the variable to set.
  const key = keyName(environment) ?? (baseUrl === undefined ? keyNames[0] : undefined)
  return {
    name: 'Yardmaster',
    base_url: baseUrl ?? 'https://api.openai.com/v1',
    wire_api: 'responses',
    env_key: key,
    // Exponential backoff: outlasts an overload of half a minute, and reports a wrong key after 6 s.
    request_max_retries: 2,
    stream_max_retries: 5,
  }
}
