import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliName } from './cli.ts'

type Options = {
  /** The test's folder, used as HOME. */
  home: string
  /** The scripted model's address. */
  modelUrl: string
  /** The key for the scripted model, which reacts to `bad` and `quota` in it. */
  key?: string
  /** The CLI's number of retries; default 1, because Claude Code's ten take three minutes. */
  retries?: number
}

/**
 * The environment to run a CLI without a driver. The CLI calls only the scripted model: telemetry, error reports, updates and
 * other calls are off. Writes the CLI's configuration file if it needs one.
 */
export async function cliEnvironment(runtime: CliName, options: Options): Promise<Record<string, string>> {
  const ours = { PATH: process.env.PATH ?? '', HOME: options.home, LANG: 'C.UTF-8' }
  if (runtime === 'runtime_beta') return { ...ours, ...(await codexEnvironment(options)) }
  return { ...ours, ...claudeEnvironment(options) }
}

/** For Claude Code and the ACP agent, which contains it. */
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
    // As root it bypasses permissions only in a declared sandbox.
    IS_SANDBOX: '1',
  }
}

async function codexEnvironment(options: Options): Promise<Record<string, string>> {
  const folder = join(options.home, '.codex')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.toml'), codexConfig(options))
  return { CODEX_HOME: folder, SCRIPTED_MODEL_KEY: options.key ?? 'scripted' }
}

/** Codex downloads plugins and apps at each start, which takes five seconds without a network. */
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
