import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { isTurnKey } from '../domain/inbox/inbox.ts'
import { errnoOf } from '../platform/process/errno.ts'
import { StartupError } from '../platform/startup-error.ts'

/** Every variable we read, with its rule in words. Blank counts as unset, but for `API_KEYS`: blank refuses everyone. */
const variables = {
  HOST: host().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  YARDMASTER_HOME: path().optional(),
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  REDIS_URL: url(['redis:', 'rediss:', 'unix:']).optional(),
  CACHE: oneOf(['auto', 'none']).default('auto'),
  API_KEYS: keyList().optional(),
  CATALOG_PATH: path().optional(),
  DEFAULT_AGENT_ROOT: text().optional(),
  RUNTIME_ALPHA_COMMAND: text().optional(),
  RUNTIME_ALPHA_LOGIN: path().optional(),
  RUNTIME_BETA_COMMAND: text().optional(),
  RUNTIME_BETA_LOGIN: path().optional(),
  RUNTIME_BETA_MODE: oneOf(['app-server', 'exec']).default('app-server'),
  RUNTIMES_PATH: path().optional(),
  MODELS_PATH: path().optional(),
  ROLE: oneOf(['all', 'web', 'worker']).default('all'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  APP_HOST: hostWithPort().optional(),
  SERVICE_URL: url(['http:', 'https:']).optional(),
  REDACTION_RULES_PATH: path().optional(),
  AGENT_SILENCE_SECONDS: wholeNumber(1, 86_400).default(3600),
  SUPERVISOR_USERNAME: text().default('supervisor'),
  SUPERVISOR_PASSWORD: text().optional(),
  SERVICE_CONTENT_SEARCH_BUDGET_SECONDS: wholeNumber(0, 600).default(20),
  SERVICE_CONTENT_SEARCH_CHUNK_SIZE: wholeNumber(1, 10_000).default(100),
  ANTHROPIC_API_KEY: text().optional(),
  ANTHROPIC_AUTH_TOKEN: text().optional(),
  ANTHROPIC_BASE_URL: url(['http:', 'https:']).optional(),
  CLAUDE_CODE_OAUTH_TOKEN: text().optional(),
  OPENAI_API_KEY: text().optional(),
  OPENAI_BASE_URL: url(['http:', 'https:']).optional(),
  CODEX_API_KEY: text().optional(),
  YARDMASTER_MASTER_KEY: text().optional(),
} satisfies Record<string, z.ZodType>

const Variables = z.object(variables)

export type Config = z.output<typeof Variables> & { YARDMASTER_HOME: string }

export const variableNames = Object.keys(variables)

/** The environment by its schema, or a sentence that names the variable and its rule. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    variableNames.map((name) => [
      name,
      name !== 'API_KEYS' && environment[name]?.trim() === '' ? undefined : environment[name],
    ]),
  )
  const result = Variables.safeParse(given)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new StartupError(`${String(issue?.path[0])} ${issue?.message}.`)
  }
  return { ...result.data, YARDMASTER_HOME: result.data.YARDMASTER_HOME ?? defaultHome() }
}

/** `.env` fills in what the environment does not say. It is not exported to ours, so no child process inherits it. */
export function readEnvironment(directory: string): Record<string, string | undefined> {
  return { ...parseEnv(readIfThere(join(directory, '.env'))), ...process.env }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return ''
    throw new StartupError(`The file ${file} cannot be read (${errnoOf(error)}).`)
  }
}

function defaultHome(): string {
  return process.getuid?.() === 0 ? '/var/lib/yardmaster' : join(homedir(), '.yardmaster')
}

function text() {
  return z.string().trim()
}

function path() {
  return text().refine((value) => value.startsWith('/'), { message: 'must be an absolute path' })
}

const hostName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i

function host() {
  return text().refine((value) => isIP(value) !== 0 || hostName.test(value), {
    message: 'must be an IP address or a host name',
  })
}

function hostWithPort() {
  return text().refine((value) => hostName.test(value.replace(/:\d+$/, '')), {
    message: 'must be a host name, with a port if need be, and nothing around it',
  })
}

function keyList() {
  return z.string().refine((keys) => !keys.split(',').some((key) => isTurnKey(key.trim())), {
    message: 'must have no key that looks like one of a turn, which begin with ymt_',
  })
}

function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return text()
    .regex(/^\d+$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, { message: rule })
}

function oneOf<const T extends string>(choices: readonly T[]) {
  return z.enum(choices, { error: `must be one of: ${choices.join(', ')}` })
}

/** The value is never repeated in the sentence: a connection URL holds a password. */
function url(protocols: readonly string[]) {
  const rule = `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`
  return text().refine(
    (value) => protocols.some((protocol) => value.startsWith(`${protocol}//`)) && URL.canParse(value),
    {
      message: rule,
    },
  )
}
