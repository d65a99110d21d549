import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Home } from '../platform/home/home.ts'
import type { KnownSecret } from '../platform/redaction/redactor.ts'
import { readConfiguredRuntimes } from '../runtimes/acp/config.ts'
import { alphaRuntime } from '../runtimes/alpha/runtime.ts'
import { betaRuntime } from '../runtimes/beta/runtime.ts'
import { cliProgram, pinnedClis } from '../runtimes/cli.ts'
import { demoRuntime } from '../runtimes/demo/runtime.ts'
import { readModels } from '../runtimes/models.ts'
import type { AgentCli, Runtime } from '../runtimes/runtime.ts'
import type { Config } from './config.ts'

export type OpenedRuntimes = {
  /** The first is what a session gets that names none, unless a setting says otherwise. */
  runtimes: Runtime[]
  /** What a fresh installation chooses: the first vendor's agent that is on this machine, else the built-in one. */
  firstChoice: string
  secrets: KnownSecret[]
}

/** Every kind of agent that this host can run. One whose program is missing is offered all the same, and says so. */
export async function openRuntimes(
  config: Config,
  home: Home,
  environment: Record<string, string | undefined>,
): Promise<OpenedRuntimes> {
  const models = readModels(config.MODELS_PATH)
  const commands = {
    runtime_alpha: config.RUNTIME_ALPHA_COMMAND ?? (await installed(home, 'runtime_alpha')) ?? 'claude',
    runtime_beta: config.RUNTIME_BETA_COMMAND ?? (await installed(home, 'runtime_beta')) ?? 'codex',
  }
  const alpha = alphaRuntime({
    command: commands.runtime_alpha,
    models: models.runtime_alpha,
    environment: given({
      ANTHROPIC_API_KEY: config.ANTHROPIC_API_KEY,
      ANTHROPIC_AUTH_TOKEN: config.ANTHROPIC_AUTH_TOKEN,
      ANTHROPIC_BASE_URL: config.ANTHROPIC_BASE_URL,
      CLAUDE_CODE_OAUTH_TOKEN: config.CLAUDE_CODE_OAUTH_TOKEN,
    }),
    ...(config.RUNTIME_ALPHA_LOGIN !== undefined && { credentialsFile: config.RUNTIME_ALPHA_LOGIN }),
  })
  const beta = betaRuntime({
    command: commands.runtime_beta,
    models: models.runtime_beta,
    mode: config.RUNTIME_BETA_MODE,
    environment: given({ OPENAI_API_KEY: config.OPENAI_API_KEY, CODEX_API_KEY: config.CODEX_API_KEY }),
    ...(config.OPENAI_BASE_URL !== undefined && { baseUrl: config.OPENAI_BASE_URL }),
    ...(config.RUNTIME_BETA_LOGIN !== undefined && { authFile: config.RUNTIME_BETA_LOGIN }),
  })
  const own = [
    {
      ...alpha,
      cli: vendorCli(config, {
        title: "Claude Code's CLI",
        runtime: 'runtime_alpha',
        command: commands.runtime_alpha,
        keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
        login: 'RUNTIME_ALPHA_LOGIN',
      }),
    },
    {
      ...beta,
      cli: vendorCli(config, {
        title: "Codex's CLI",
        runtime: 'runtime_beta',
        command: commands.runtime_beta,
        keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
        login: 'RUNTIME_BETA_LOGIN',
      }),
    },
    demoRuntime,
  ]
  const { runtimes: added, secrets } = await readConfiguredRuntimes(config.RUNTIMES_PATH, {
    taken: own.map(({ name }) => name),
    environment,
  })
  const present = await Promise.all(Object.entries(commands).map(async ([name, it]) => (await isProgram(it)) && name))
  return { runtimes: [...own, ...added], firstChoice: present.find(Boolean) || demoRuntime.name, secrets }
}

type Vendor = {
  title: string
  runtime: string
  command: string
  keys: readonly (keyof Config)[]
  login: 'RUNTIME_ALPHA_LOGIN' | 'RUNTIME_BETA_LOGIN'
}

function vendorCli(config: Config, { title, runtime, command, keys, login }: Vendor): AgentCli {
  const hasKey = keys.some((name) => config[name])
  const file = config[login]
  return {
    title,
    command,
    installInstructions: `npm run agents:install -- ${runtime}`,
    authInstructions: `Set ${keys.join(' or ')}, or ${login} to the login file of this CLI, and start again.`,
    authMethod: hasKey || file === undefined ? 'env_var' : 'oauth',
    envVarName: keys[0] ?? null,
    isAuthenticated: async () => hasKey || (file !== undefined && (await isReadable(file))),
  }
}

function isReadable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
}

function given(variables: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

/** The program of a vendor's CLI that was installed under the home, if it was. */
async function installed(home: Home, runtime: string): Promise<string | undefined> {
  const cli = pinnedClis.find((pinned) => pinned.runtime === runtime)
  const program = cli && cliProgram(home.in('agents'), cli)
  return program && (await isProgram(program)) ? program : undefined
}

async function isProgram(command: string): Promise<boolean> {
  const folders = isAbsolute(command) ? [''] : (process.env.PATH ?? '').split(delimiter)
  for (const folder of folders) {
    const isThere = await access(join(folder, command), constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return true
  }
  return false
}
