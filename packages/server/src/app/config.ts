import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { limits } from '@yardmaster/contract/limits'
import { z } from 'zod'
import { apiKeyPrefix } from '../domain/api-keys/api-key.ts'
import { type SocialSettings, socialEndpoints } from '../domain/credentials/credential.ts'
import { isTurnKey } from '../domain/inbox/inbox.ts'
import { isLink } from '../domain/sign-ins/sign-in.ts'
import { hostList } from '../platform/git/allowed-hosts.ts'
import { type JobThreads, type QueueName, queues } from '../platform/jobs/queues.ts'
import { confinementModes } from '../platform/process/confinement.ts'
import { errnoOf } from '../platform/process/errno.ts'
import { StartupError } from '../platform/startup-error.ts'
import { readNameValues } from '../platform/tracing/name-value-list.ts'
import { samplers } from '../platform/tracing/sampler.ts'
import { apiAddress, oneOf, path, text, url, wholeNumber, wordList } from '../platform/variable-rules.ts'
import { keyRule, readMasterKeys } from '../platform/vault/master-key.ts'
import type { RuntimeDriver } from '../runtimes/driver.ts'
import type { ConfiguredDriver } from '../runtimes/open-drivers.ts'
import { drivers as registeredDrivers } from '../runtimes/registry.ts'

const { windowMinutes } = limits.elicitation

/**
 * The variables of the server itself, each with the rule for its value; a runtime's driver declares its own. Blank counts as
 * unset, except `API_KEYS`: blank refuses every key.
 */
const variables = {
  HOST: host().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  WORKER_PORT: wholeNumber(0, 65_535).optional(),
  YARDMASTER_HOME: path().optional(),
  DATABASE_URL: url(['postgres:', 'postgresql:']).optional(),
  REDIS_URL: url(['redis:', 'rediss:', 'unix:']).optional(),
  CACHE: oneOf(['auto', 'none']).default('auto'),
  API_KEYS: keyList().optional(),
  GIT_HOSTS: hostList().optional(),
  CATALOG_PATH: path().optional(),
  DEFAULT_AGENT_ROOT: text().optional(),
  BACKLOG_AGENT_ROOT: text().default('orchestrator'),
  OUTCOME_ANALYSIS_AGENT_ROOT: text().default('outcome_analyzer'),
  MODELS_PATH: path().optional(),
  PRICES_PATH: path().optional(),
  QUEUE_PAUSES: oneOf(['on', 'off']).default('on'),
  JOB_AGENTS_THREADS: threadsOf('agents'),
  JOB_POLLERS_THREADS: threadsOf('pollers'),
  JOB_TRIGGERS_THREADS: threadsOf('triggers'),
  JOB_INFERENCE_THREADS: threadsOf('inference'),
  JOB_PUSHES_THREADS: threadsOf('pushes'),
  JOB_MAINTENANCE_THREADS: threadsOf('maintenance'),
  JOB_DEFAULT_THREADS: threadsOf('default'),
  ROLE: oneOf(['all', 'web', 'worker']).default('all'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  APP_HOST: hostWithPort().optional(),
  TRUSTED_PROXIES: networkList().default([]),
  SERVICE_URL: url(['http:', 'https:']).optional(),
  WEB_AUTH: oneOf(['session', 'none']).default('session'),
  REDACTION_RULES_PATH: path().optional(),
  AGENT_CONFINEMENT: oneOf(confinementModes).default('auto'),
  AGENT_PATHS: pathList().default([]),
  AGENT_USER: text().optional(),
  AGENT_SILENCE_SECONDS: wholeNumber(1, 86_400).default(3600),
  ELICITATION_EXPIRATION_MINUTES: wholeNumber(windowMinutes.min, windowMinutes.max).default(windowMinutes.default),
  RETENTION_LOG_DAYS: keptDays().default(90),
  RETENTION_VERBOSE_LOG_DAYS: keptDays().default(14),
  RETENTION_EVENT_DAYS: keptDays().default(3),
  RETENTION_NOTIFICATION_DAYS: keptDays().default(30),
  RETENTION_TURN_DAYS: keptDays().default(90),
  RETENTION_SNAPSHOT_DAYS: keptDays().default(1),
  RETENTION_QUOTA_DAYS: keptDays().default(30),
  RETENTION_ORPHAN_DAYS: keptDays().default(2),
  RETENTION_DEAD_JOB_DAYS: keptDays().default(14),
  RETENTION_AUDIT_DAYS: keptDays().default(365),
  SUPERVISOR_USERNAME: text()
    .refine((name) => !name.includes(':'), { message: 'must have no colon, which ends the name in HTTP Basic' })
    .default('supervisor'),
  // Compared as it is: a client does not trim what its user types.
  SUPERVISOR_PASSWORD: z.string().optional(),
  SERVICE_CONTENT_SEARCH_BUDGET_SECONDS: wholeNumber(0, 600).default(20),
  SERVICE_CONTENT_SEARCH_CHUNK_SIZE: wholeNumber(1, 10_000).default(100),
  YARDMASTER_MASTER_KEY: text()
    .refine((value) => readMasterKeys(value) !== undefined, { message: keyRule })
    .optional(),
  CHAT_TOKEN: text().optional(),
  CHAT_SIGNING_SECRET: text().optional(),
  CHAT_API_URL: apiAddress().default('https://slack.com/api/'),
  CHAT_ALLOWED_USER_IDS: wordList().default([]),
  VAPID_PRIVATE_KEY: vapidKey().optional(),
  VAPID_SUBJECT: text()
    .refine((value) => /^(mailto:|https:\/\/)./.test(value), { message: 'must begin with mailto: or https://' })
    .default('mailto:push@yardmaster.invalid'),
  PUSH_ALLOWED_ORIGINS: originList().default([]),
  OAUTH_ALLOWED_ORIGINS: originList().default([]),
  X_OAUTH_CLIENT_ID: text().optional(),
  X_OAUTH_CLIENT_SECRET: text().optional(),
  // Nothing listens there: the operator pastes the address.
  X_OAUTH_REDIRECT_URI: url(['http:', 'https:']).default('http://127.0.0.1:8787/callback'),
  X_OAUTH_AUTHORIZATION_URL: url(['http:', 'https:']).default(socialEndpoints.authorization),
  X_OAUTH_TOKEN_URL: url(['http:', 'https:']).default(socialEndpoints.token),
  FORGE_TOKEN: text().optional(),
  FORGE_WEBHOOK_SECRET: text().optional(),
  FORGE_API_URL: apiAddress().default('https://api.github.com'),
  OTEL_EXPORTER_OTLP_ENDPOINT: apiAddress().optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList().optional(),
  OTEL_SERVICE_NAME: text().default('yardmaster'),
  OTEL_RESOURCE_ATTRIBUTES: nameValues().optional(),
  OTEL_TRACES_SAMPLER: oneOf(samplers).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: ratio().default(1),
  OTEL_BSP_SCHEDULE_DELAY: wholeNumber(10, 60_000).default(5000),
} satisfies Record<string, z.ZodType>

/** The server's own variables whose values are redacted from everything that is stored. A driver declares its own. */
export const secretVariables = [
  'SUPERVISOR_PASSWORD',
  'YARDMASTER_MASTER_KEY',
  'X_OAUTH_CLIENT_SECRET',
  'DATABASE_URL',
  'REDIS_URL',
  'CHAT_TOKEN',
  'CHAT_SIGNING_SECRET',
  'FORGE_TOKEN',
  'FORGE_WEBHOOK_SECRET',
  'VAPID_PRIVATE_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const

const Variables = z.object(variables)

export type Config = z.output<typeof Variables> & {
  YARDMASTER_HOME: string
  /** Every driver with the values of its variables. */
  drivers: readonly ConfiguredDriver[]
}

export const variableNames = [variables, ...registeredDrivers.map((driver) => driver.variables)].flatMap(Object.keys)

/** Reads the environment by the schemas. A bad value stops the start with a sentence that names the variable and its rule. */
export function readConfig(
  environment: Record<string, string | undefined>,
  drivers: readonly RuntimeDriver[] = registeredDrivers,
): Config {
  const own = readVariables(Variables, environment)
  return {
    ...own,
    YARDMASTER_HOME: own.YARDMASTER_HOME ?? defaultHome(),
    drivers: drivers.map((driver) => ({
      driver,
      config: readVariables(z.object(driver.variables), environment),
    })),
  }
}

/** How many jobs of each queue this host runs at once. */
export function jobThreads(config: Config): JobThreads {
  return {
    agents: config.JOB_AGENTS_THREADS,
    pollers: config.JOB_POLLERS_THREADS,
    triggers: config.JOB_TRIGGERS_THREADS,
    inference: config.JOB_INFERENCE_THREADS,
    pushes: config.JOB_PUSHES_THREADS,
    maintenance: config.JOB_MAINTENANCE_THREADS,
    default: config.JOB_DEFAULT_THREADS,
  }
}

function threadsOf(queue: QueueName) {
  return wholeNumber(1, 64).default(queues[queue].concurrency)
}

export function socialSettings(config: Config): SocialSettings {
  return {
    clientId: config.X_OAUTH_CLIENT_ID,
    clientSecret: config.X_OAUTH_CLIENT_SECRET,
    redirectUri: config.X_OAUTH_REDIRECT_URI,
    authorizationEndpoint: config.X_OAUTH_AUTHORIZATION_URL,
    tokenEndpoint: config.X_OAUTH_TOKEN_URL,
  }
}

function readVariables<T extends z.ZodObject>(schema: T, environment: Record<string, string | undefined>): z.output<T> {
  const given = Object.keys(schema.shape).map((name) => {
    const isUnset = name !== 'API_KEYS' && environment[name]?.trim() === ''
    return [name, isUnset ? undefined : environment[name]]
  })
  const result = schema.safeParse(Object.fromEntries(given))
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new StartupError(`${String(issue?.path[0])} ${issue?.message}.`)
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

const hostName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i

function host() {
  return text().refine((value) => isIP(value) !== 0 || hostName.test(value), {
    message: 'must be an IP address or a host name',
  })
}

function hostWithPort() {
  return text().refine((value) => hostName.test(value.replace(/:\d+$/, '')), {
    message: 'must be a host name, optionally with a port, without spaces',
  })
}

function networkList() {
  return wordList().refine((networks) => networks.every(isNetwork), {
    message: 'must be IP addresses or networks such as 10.0.0.0/8, separated by commas',
  })
}

function isNetwork(network: string): boolean {
  const [address = '', bits, ...rest] = network.split('/')
  const maxBits = { 4: 32, 6: 128 }[isIP(address)]
  return (
    rest.length === 0 &&
    maxBits !== undefined &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  )
}

function pathList() {
  return text()
    .transform((value) => value.split(':').filter(Boolean))
    .refine((paths) => paths.every((one) => one.startsWith('/')), {
      message: 'must be absolute paths, separated by colons',
    })
}

/** 0: for ever. */
function keptDays() {
  return wholeNumber(0, 3650)
}

function vapidKey() {
  return text().regex(/^[\w-]{43}$/, 'must be a private key of 32 bytes in base64url')
}

function originList() {
  return wordList().refine((origins) => origins.every((one) => URL.canParse(one) && new URL(one).origin === one), {
    message: 'must be origins such as https://push.example:8443, separated by commas',
  })
}

function nameValues() {
  return text().refine((list) => readNameValues(list) !== undefined, {
    message: 'must be name=value pairs, separated by commas and percent-encoded',
  })
}

/** Stays one text, which is a secret as a whole. */
function headerList() {
  return nameValues().refine(
    (list) =>
      [...(readNameValues(list) ?? [])].every(
        ([name, value]) => /^[\w-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value),
      ),
    { message: 'must be names and values that a header can have' },
  )
}

function ratio() {
  const rule = 'must be a number from 0 to 1'
  return text()
    .regex(/^\d*\.?\d+$/, rule)
    .transform(Number)
    .refine((value) => value <= 1, { message: rule })
}

function keyList() {
  const isReserved = (key: string): boolean => isTurnKey(key) || isLink(key) || key.startsWith(apiKeyPrefix)
  return z.string().refine((keys) => !keys.split(',').some((key) => isReserved(key.trim())), {
    message:
      'must have no key that begins with ymt_, yml_ or ymk_ (reserved for turn keys, one-time links and stored keys)',
  })
}
