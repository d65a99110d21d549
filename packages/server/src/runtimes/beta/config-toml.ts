import type { Equipment } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { mcpTables } from './mcp-servers.ts'
import { type TomlTable, toToml } from './toml.ts'

/** How the agent gets at its model. */
export type Access = {
  /** Provider keys and whatever else only the agent itself may see. */
  environment: Readonly<Record<string, string>>
  /** Of a server that speaks OpenAI's Responses API; the vendor's own if undefined. */
  baseUrl: string | undefined
  /** A login that `codex login` has left on this host. */
  authFile: string | undefined
}

/** Names of the variables that may hold a key, in the order they are looked for. */
const keyNames = ['OPENAI_API_KEY', 'CODEX_API_KEY']

const ownProvider = 'yardmaster'

/** Which of the providers in the configuration is used; a resumed thread has to be told. */
export function providerName(access: Access): string {
  return usesLogin(access) ? 'openai' : ownProvider
}

function usesLogin({ environment, authFile }: Access): boolean {
  return authFile !== undefined && keyName(environment) === undefined
}

function keyName(environment: Access['environment']): string | undefined {
  return keyNames.find((name) => environment[name] !== undefined)
}

/** The agent's `config.toml`. It holds secrets of MCP servers: nobody else may read the file. */
export function configToml(access: Access, conversation: Conversation, equipment: Equipment): string {
  return toToml({
    model_provider: providerName(access),
    ...(usesLogin(access) && access.baseUrl !== undefined && { openai_base_url: access.baseUrl }),
    // We run agents without a sandbox and without anybody to ask.
    approval_policy: 'never',
    sandbox_mode: 'danger-full-access',
    // Read by `codex exec`; the app server is told with each thread.
    ...(equipment.instructions !== '' && { developer_instructions: equipment.instructions }),
    check_for_update_on_startup: false,
    analytics: { enabled: false },
    otel: { exporter: 'none' },
    features,
    shell_environment_policy: toolEnvironment(access),
    model_providers: { [ownProvider]: provider(access) },
    // Else it asks whether the repository's own configuration may be read, or writes down here that it may.
    projects: { [conversation.workingDirectory]: { trust_level: 'trusted' } },
    mcp_servers: mcpTables(equipment.mcpServers),
  })
}

const features: TomlTable = {
  // Without these it leaves in 0.4 s; with them it waits 5 s for a catalogue of plugins.
  plugins: false,
  remote_plugin: false,
  apps: false,
  daemon_auto_start: false,
  // It would go on by itself after the turn that we asked for.
  goals: false,
  // It would wait for the network for ever.
  unbounded_connection_retries: false,
}

/**
 * Tools see what the agent sees, without its keys. By default codex would take away whatever is called a key, a secret
 * or a token, also those that the session was given to work with.
 */
export function toolEnvironment({ environment }: Access): TomlTable {
  return { inherit: 'all', ignore_default_excludes: true, exclude: secretNames(environment) }
}

export function secretNames(environment: Access['environment']): string[] {
  return [...new Set([...keyNames, ...Object.keys(environment)])]
}

function provider(access: Access): TomlTable {
  const { environment, baseUrl } = access
  // Without a key at the vendor's own address the missing variable's name is the best there is to say.
  const key = keyName(environment) ?? (baseUrl === undefined ? keyNames[0] : undefined)
  return {
    name: 'Yardmaster',
    base_url: baseUrl ?? 'https://api.openai.com/v1',
    wire_api: 'responses',
    env_key: key,
    // Each waits twice as long as the one before: a rush of half a minute is sat out, a wrong key is told in 6 s.
    request_max_retries: 2,
    stream_max_retries: 5,
  }
}
