import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliName } from './cli.ts'

type Options = {
  /** A folder of the test's own, in the place of the user's home. */
  home: string
  /** The scripted model's address. */
  modelUrl: string
  /** What it is to see as the key: `bad` and `quota` in it have a meaning there. */
  key?: string
  /** How often a CLI tries again on its own; by default once, because Claude Code takes three minutes for its ten. */
  retries?: number
}

/**
 * The whole environment to run a CLI in by hand: it asks the scripted model, and nothing else of the network. Telemetry,
 * error reports, updates and every call that is not needed are off. Writes the CLI's configuration where that is a file.
 */
export async function cliEnvironment(runtime: CliName, options: Options): Promise<Record<string, string>> {
  const ours = { PATH: process.env.PATH ?? '', HOME: options.home, LANG: 'C.UTF-8' }
  if (runtime === 'runtime_beta') return { ...ours, ...(await codexEnvironment(options)) }
  return { ...ours, ...claudeEnvironment(options) }
}

/** Claude Code, and the ACP agent, which runs one inside. */
function claudeEnvironment({ modelUrl, key = 'scripted', retries = 1 }: Options): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_BUG_COMMAND: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    // As root it refuses to run without asking for permissions, unless it is told that it is in a sandbox.
    IS_SANDBOX: '1',
  }
}

async function codexEnvironment(options: Options): Promise<Record<string, string>> {
  const folder = join(options.home, '.codex')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.toml'), codexConfig(options))
  return { CODEX_HOME: folder, SCRIPTED_MODEL_KEY: options.key ?? 'scripted' }
}

/** Plugins and apps are fetched from the vendor at each start; without the network that takes five seconds. */
function codexConfig({ modelUrl, retries = 1 }: Pick<Options, 'modelUrl' | 'retries'>): string {
  return `
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[otel]
exporter = "none"

[features]
plugins = false
remote_plugin = false
apps = false
daemon_auto_start = false

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
env_key = "SCRIPTED_MODEL_KEY"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}
`
}
