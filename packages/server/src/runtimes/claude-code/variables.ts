/**
 * The variables that decide where Claude Code sends its calls and its MCP servers their questions, with the values of the agent's
 * environment; empty means unset. Settings of the repository and of the agent itself may override the environment of the CLI, but not
 * the settings that the driver passes. So every one of these is passed: otherwise a repository could have the operator's key and the
 * conversation sent to a server of its choice.
 */
export function pinnedVariables(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, environment[name] ?? defaults[name] ?? '']))
}

const defaults: Readonly<Record<string, string>> = {
  ANTHROPIC_BASE_URL: 'https://api.anthropic.com',
  // With `false`, MCP servers accept in the name of a person.
  ELICITATION_ENABLED: 'true',
}

/** The CLI calls only the model and does not update itself. Its cron needs a process that outlives the turn. */
const noBackgroundWork = {
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_BUG_COMMAND: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
}

const mcpServers = {
  /**
   * By default the CLI starts after five seconds with the MCP servers that are up by then, and the agent reports the tools of
   * the others as missing. Every turn starts the servers again, some through a package manager.
   */
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_CONNECT_TIMEOUT_MS: '60000',
  MCP_TIMEOUT: '60000',
}

/** The environment of the CLI in a turn that no person watches. */
export const unattended: Readonly<Record<string, string>> = { ...noBackgroundWork, ...mcpServers }

/** Without it the CLI decides by itself whether it searches for the tools of MCP servers. */
export function toolLoading(hasAllToolsAtOnce: boolean | undefined): Readonly<Record<string, string>> {
  return hasAllToolsAtOnce ? { ENABLE_TOOL_SEARCH: 'false' } : {}
}

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']

const providers = [
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_UNIX_SOCKET',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_API_BASE_URL',
  'CLAUDE_CODE_CUSTOM_OAUTH_URL',
  'AGENT_PROXY_URL',
  ...['ANTHROPIC_AWS', 'BEDROCK', 'FOUNDRY', 'GATEWAY', 'MANTLE', 'VERTEX'].map((name) => `CLAUDE_CODE_USE_${name}`),
  ...['AWS', 'BEDROCK', 'BEDROCK_MANTLE', 'FOUNDRY', 'VERTEX'].map((name) => `ANTHROPIC_${name}_BASE_URL`),
]

/** A certificate of the repository's would let a server between the host and the provider read the calls. */
const certificates = ['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED', 'CLAUDE_CODE_CLIENT_CERT']

const telemetry = [
  ...Object.keys(noBackgroundWork),
  'CLAUDE_CODE_ENABLE_TELEMETRY',
  'CLAUDE_CODE_ENHANCED_TELEMETRY_BETA',
  'ENABLE_ENHANCED_TELEMETRY_BETA',
  'ENABLE_BETA_TRACING_DETAILED',
  'BETA_TRACING_ENDPOINT',
  'CLAUDE_CODE_GB_BASE_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  ...['LOGS', 'METRICS', 'TRACES'].flatMap((kind) => [`OTEL_${kind}_EXPORTER`, `OTEL_EXPORTER_OTLP_${kind}_ENDPOINT`]),
]

/** Another address would let the repository, or the agent in its own settings, answer what people are asked. */
const questions = ['REQUEST_URL', 'POLL_URL', 'PREFER_HTTP_FALLBACK', 'TTL_MS', 'SESSION_ID', 'ENABLED'].map(
  (name) => `ELICITATION_${name}`,
)

const names = [
  ...proxies,
  ...proxies.map((name) => name.toLowerCase()),
  ...providers,
  ...certificates,
  ...telemetry,
  ...questions,
]
