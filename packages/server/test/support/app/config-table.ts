import { homedir } from 'node:os'
import { join } from 'node:path'
import { keyRule } from '../../../src/platform/vault/master-key.ts'
import { threadRows } from './thread-rows.ts'

/** A value that no message may repeat. */
export const secret = 'hunter2-do-not-print'

export type Row = {
  name: string
  /** The default. */
  unset: unknown
  good: [given: string, read: unknown][]
  bad: string[]
  rule?: string
}

const port = 'must be a whole number from 0 to 65535'
const path = 'must be an absolute path'
const httpUrl = 'must be a URL that begins with http:// or https://'
const host = 'must be an IP address or a host name'
const appHost = 'must be a host name, optionally with a port, without spaces'

/** What each variable is by default, accepts and refuses. */
export const table: Row[] = [
  {
    name: 'HOST',
    unset: '127.0.0.1',
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::1', '::1'],
      [' yard.example ', 'yard.example'],
    ],
    bad: ['two hosts', 'http://yard.example', 'yard.example:80', '-'],
    rule: host,
  },
  {
    name: 'PORT',
    unset: 3000,
    good: [
      ['0', 0],
      ['8080', 8080],
      [' 65535 ', 65_535],
    ],
    bad: ['eighty', '-1', '65536', '80.5', '0x50', '1e3', '80 81'],
    rule: port,
  },
  { name: 'WORKER_PORT', unset: undefined, good: [['9300', 9300]], bad: ['-1', '65536', 'any'], rule: port },
  {
    name: 'YARDMASTER_HOME',
    unset: process.getuid?.() === 0 ? '/var/lib/yardmaster' : join(homedir(), '.yardmaster'),
    good: [['/srv/yard', '/srv/yard']],
    bad: ['yard', './yard', '~/yard'],
    rule: path,
  },
  {
    name: 'DATABASE_URL',
    unset: undefined,
    good: [
      ['postgres://u:p@db/yard', 'postgres://u:p@db/yard'],
      ['postgresql:///yard?host=/run/postgresql', 'postgresql:///yard?host=/run/postgresql'],
    ],
    bad: [`mysql://u:${secret}@db/yard`, `u:${secret}@db`, `postgres://u:${secret}@db:port/yard`, 'db'],
    rule: 'must be a URL that begins with postgres:// or postgresql://',
  },
  {
    name: 'REDIS_URL',
    unset: undefined,
    good: [
      ['redis://cache:6379', 'redis://cache:6379'],
      ['rediss://cache', 'rediss://cache'],
      ['unix:///run/redis.sock', 'unix:///run/redis.sock'],
    ],
    bad: [`http://u:${secret}@cache`, `cache:${secret}`],
    rule: 'must be a URL that begins with redis:// or rediss:// or unix://',
  },
  {
    name: 'WEB_AUTH',
    unset: 'session',
    good: [['none', 'none']],
    bad: ['off', 'basic'],
    rule: 'must be one of: session, none',
  },
  { name: 'CACHE', unset: 'auto', good: [['none', 'none']], bad: ['off'], rule: 'must be one of: auto, none' },
  {
    name: 'API_KEYS',
    unset: undefined,
    good: [['a, b', 'a, b']],
    bad: ['ymt_a', 'a, ymt_b', 'yml_a', 'ymk_a'],
    rule: 'must have no key that begins with ymt_, yml_ or ymk_ (reserved for turn keys, one-time links and stored keys)',
  },
  { name: 'CATALOG_PATH', unset: undefined, good: [['/srv/a.json', '/srv/a.json']], bad: ['a.json'], rule: path },
  {
    name: 'GIT_HOSTS',
    unset: undefined,
    good: [
      ['GitHub.com', [{ host: 'github.com', address: undefined }]],
      [
        'local, forge.corp=10.0.0.5',
        [
          { host: 'local', address: undefined },
          { host: 'forge.corp', address: '10.0.0.5' },
        ],
      ],
    ],
    bad: ['two hosts', 'https://github.com', 'forge.corp=here'],
    rule: 'must be host names, separated by commas; each may have =ADDRESS',
  },
  { name: 'RUNTIME_DEMO', unset: 'on', good: [['off', 'off']], bad: ['no'], rule: 'must be one of: on, off' },
  { name: 'DEFAULT_AGENT_ROOT', unset: undefined, good: [[' web ', 'web']], bad: [] },
  { name: 'BACKLOG_AGENT_ROOT', unset: 'orchestrator', good: [[' web ', 'web']], bad: [] },
  { name: 'OUTCOME_ANALYSIS_AGENT_ROOT', unset: 'outcome_analyzer', good: [[' web ', 'web']], bad: [] },
  { name: 'RUNTIME_ALPHA_COMMAND', unset: undefined, good: [['/opt/alpha', '/opt/alpha']], bad: [] },
  { name: 'RUNTIME_BETA_COMMAND', unset: undefined, good: [['beta', 'beta']], bad: [] },
  { name: 'RUNTIME_ALPHA_LOGIN', unset: undefined, good: [['/srv/login', '/srv/login']], bad: ['login'], rule: path },
  { name: 'RUNTIME_BETA_LOGIN', unset: undefined, good: [['/srv/login', '/srv/login']], bad: ['login'], rule: path },
  {
    name: 'RUNTIME_BETA_MODE',
    unset: 'app-server',
    good: [['exec', 'exec']],
    bad: ['other'],
    rule: 'must be one of: app-server, exec',
  },
  { name: 'RUNTIMES_PATH', unset: undefined, good: [['/srv/r.json', '/srv/r.json']], bad: ['r.json'], rule: path },
  { name: 'MODELS_PATH', unset: undefined, good: [['/srv/m.json', '/srv/m.json']], bad: ['m.json'], rule: path },
  { name: 'PRICES_PATH', unset: undefined, good: [['/srv/p.json', '/srv/p.json']], bad: ['p.json'], rule: path },
  ...threadRows,
  { name: 'QUEUE_PAUSES', unset: 'on', good: [['off', 'off']], bad: ['no', 'OFF'], rule: 'must be one of: on, off' },
  {
    name: 'ROLE',
    unset: 'all',
    good: [
      ['all', 'all'],
      ['web', 'web'],
      ['worker', 'worker'],
    ],
    bad: ['leader', 'ALL'],
    rule: 'must be one of: all, web, worker',
  },
  {
    name: 'LOG_LEVEL',
    unset: 'info',
    good: [['debug', 'debug']],
    bad: ['loud'],
    rule: 'must be one of: trace, debug, info, warn, error, fatal, silent',
  },
  {
    name: 'TRUSTED_PROXIES',
    unset: [],
    good: [
      ['10.0.0.7', ['10.0.0.7']],
      ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    ],
    bad: ['proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/'],
    rule: 'must be IP addresses or networks such as 10.0.0.0/8, separated by commas',
  },
  {
    name: 'APP_HOST',
    unset: undefined,
    good: [
      ['yard.example', 'yard.example'],
      ['localhost:3000', 'localhost:3000'],
    ],
    bad: ['https://yard.example', 'yard.example/path', 'two hosts'],
    rule: appHost,
  },
  {
    name: 'REDACTION_RULES_PATH',
    unset: undefined,
    good: [['/etc/yardmaster/rules.json', '/etc/yardmaster/rules.json']],
    bad: ['rules.json'],
    rule: path,
  },
  {
    name: 'AGENT_CONFINEMENT',
    unset: 'auto',
    good: [
      ['required', 'required'],
      ['strict', 'strict'],
      ['off', 'off'],
    ],
    bad: ['on', 'Strict'],
    rule: 'must be one of: auto, required, strict, off',
  },
  {
    name: 'AGENT_PATHS',
    unset: [],
    good: [['/opt/tools:/srv/cache', ['/opt/tools', '/srv/cache']]],
    bad: ['~/tools', '/opt/tools:cache'],
    rule: 'must be absolute paths, separated by colons',
  },
  { name: 'AGENT_USER', unset: undefined, good: [[' agent ', 'agent']], bad: [] },
  {
    name: 'AGENT_SILENCE_SECONDS',
    unset: 3600,
    good: [['60', 60]],
    bad: ['0', '86401', 'never'],
    rule: 'must be a whole number from 1 to 86400',
  },
  {
    name: 'ELICITATION_EXPIRATION_MINUTES',
    unset: 60,
    good: [['30', 30]],
    bad: ['0', '10081', 'never'],
    rule: 'must be a whole number from 1 to 10080',
  },
  ...Object.entries({
    LOG: 90,
    VERBOSE_LOG: 14,
    EVENT: 3,
    NOTIFICATION: 30,
    TURN: 90,
    SNAPSHOT: 1,
    QUOTA: 30,
    ORPHAN: 2,
    DEAD_JOB: 14,
    AUDIT: 365,
  }).map(
    ([kept, unset]): Row => ({
      name: `RETENTION_${kept}_DAYS`,
      unset,
      good: [['0', 0]],
      bad: ['-1', '3651', 'for ever'],
      rule: 'must be a whole number from 0 to 3650',
    }),
  ),
  {
    name: 'SUPERVISOR_USERNAME',
    unset: 'supervisor',
    good: [['chief', 'chief']],
    bad: ['a:b'],
    rule: 'must have no colon, which ends the name in HTTP Basic',
  },
  {
    name: 'SUPERVISOR_PASSWORD',
    unset: undefined,
    good: [
      ['long enough', 'long enough'],
      [' kept ', ' kept '],
    ],
    bad: [],
  },
  {
    name: 'SERVICE_CONTENT_SEARCH_BUDGET_SECONDS',
    unset: 20,
    good: [
      ['5', 5],
      ['0', 0],
    ],
    bad: ['-1', '601', 'soon'],
    rule: 'must be a whole number from 0 to 600',
  },
  {
    name: 'SERVICE_CONTENT_SEARCH_CHUNK_SIZE',
    unset: 100,
    good: [['1', 1]],
    bad: ['0', '10001', 'many'],
    rule: 'must be a whole number from 1 to 10000',
  },
  { name: 'ANTHROPIC_API_KEY', unset: undefined, good: [['sk-1', 'sk-1']], bad: [] },
  { name: 'ANTHROPIC_AUTH_TOKEN', unset: undefined, good: [['t', 't']], bad: [] },
  {
    name: 'SERVICE_URL',
    unset: undefined,
    good: [['https://yard.test', 'https://yard.test']],
    bad: [secret],
    rule: httpUrl,
  },
  ...['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'RUNTIME_ALPHA_TOKEN_URL', 'RUNTIME_BETA_ISSUER'].map(
    (name): Row => ({
      name,
      unset: undefined,
      good: [['http://127.0.0.1:1', 'http://127.0.0.1:1']],
      bad: [secret],
      rule: httpUrl,
    }),
  ),
  { name: 'CLAUDE_CODE_OAUTH_TOKEN', unset: undefined, good: [['t', 't']], bad: [] },
  { name: 'OPENAI_API_KEY', unset: undefined, good: [['sk-2', 'sk-2']], bad: [] },
  { name: 'CODEX_API_KEY', unset: undefined, good: [['k', 'k']], bad: [] },
  {
    name: 'YARDMASTER_MASTER_KEY',
    unset: undefined,
    good: [
      ['a0'.repeat(32), 'a0'.repeat(32)],
      [`${'k'.repeat(43)}=`, `${'k'.repeat(43)}=`],
      [`${'_'.repeat(43)}, ${'k'.repeat(43)}`, `${'_'.repeat(43)}, ${'k'.repeat(43)}`],
    ],
    bad: [secret, 'k'.repeat(42), 'k'.repeat(64), `${'k'.repeat(43)},${secret}`, ','],
    rule: keyRule,
  },
  { name: 'CHAT_TOKEN', unset: undefined, good: [['xoxb-1', 'xoxb-1']], bad: [] },
  { name: 'CHAT_SIGNING_SECRET', unset: undefined, good: [['s', 's']], bad: [] },
  {
    name: 'CHAT_API_URL',
    unset: 'https://slack.com/api/',
    good: [['http://127.0.0.1:1/api/', 'http://127.0.0.1:1/api/']],
    bad: [secret],
    rule: httpUrl,
  },
  { name: 'CHAT_ALLOWED_USER_IDS', unset: [], good: [['U1, U2  U3,', ['U1', 'U2', 'U3']]], bad: [] },
  {
    name: 'VAPID_PRIVATE_KEY',
    unset: undefined,
    good: [['x'.repeat(43), 'x'.repeat(43)]],
    bad: [secret],
    rule: 'must be a private key of 32 bytes in base64url',
  },
  {
    name: 'VAPID_SUBJECT',
    unset: 'mailto:push@yardmaster.invalid',
    good: [['mailto:ops@yard.test', 'mailto:ops@yard.test']],
    bad: ['ops@yard.test'],
    rule: 'must begin with mailto: or https://',
  },
  ...['PUSH_ALLOWED_ORIGINS', 'OAUTH_ALLOWED_ORIGINS'].map(
    (name): Row => ({
      name,
      unset: [],
      good: [['http://127.0.0.1:1, https://push.test', ['http://127.0.0.1:1', 'https://push.test']]],
      bad: ['push.test', 'https://push.test/path'],
      rule: 'must be origins such as https://push.example:8443, separated by commas',
    }),
  ),
  ...['X_OAUTH_CLIENT_ID', 'X_OAUTH_CLIENT_SECRET'].map(
    (name): Row => ({ name, unset: undefined, good: [[' a ', 'a']], bad: [] }),
  ),
  ...Object.entries({
    X_OAUTH_REDIRECT_URI: 'http://127.0.0.1:8787/callback',
    X_OAUTH_AUTHORIZATION_URL: 'https://x.com/i/oauth2/authorize',
    X_OAUTH_TOKEN_URL: 'https://api.x.com/2/oauth2/token',
  }).map(
    ([name, unset]): Row => ({
      name,
      unset,
      good: [['https://x.test/a', 'https://x.test/a']],
      bad: ['x.test'],
      rule: httpUrl,
    }),
  ),
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    unset: undefined,
    good: [['http://127.0.0.1:4318', 'http://127.0.0.1:4318']],
    bad: [secret],
    rule: httpUrl,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    unset: undefined,
    good: [['x-token=a%20b,tenant=one', 'x-token=a%20b,tenant=one']],
    bad: [secret, `x-token=%${secret}`],
    rule: 'must be name=value pairs, separated by commas and percent-encoded',
  },
  { name: 'OTEL_SERVICE_NAME', unset: 'yardmaster', good: [['yard', 'yard']], bad: [] },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    unset: undefined,
    good: [['deployment.environment=staging', 'deployment.environment=staging']],
    bad: ['staging'],
    rule: 'must be name=value pairs, separated by commas and percent-encoded',
  },
  {
    name: 'OTEL_TRACES_SAMPLER',
    unset: 'parentbased_always_on',
    good: [['traceidratio', 'traceidratio']],
    bad: ['jaeger_remote'],
    rule: 'must be one of: always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio',
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    unset: 1,
    good: [
      ['0.25', 0.25],
      ['0', 0],
    ],
    bad: ['2', '-1', 'half'],
    rule: 'must be a number from 0 to 1',
  },
  {
    name: 'OTEL_BSP_SCHEDULE_DELAY',
    unset: 5000,
    good: [['1000', 1000]],
    bad: ['9', '60001', 'soon'],
    rule: 'must be a whole number from 10 to 60000',
  },
  { name: 'FORGE_TOKEN', unset: undefined, good: [['ghp_1', 'ghp_1']], bad: [] },
  { name: 'FORGE_WEBHOOK_SECRET', unset: undefined, good: [['s', 's']], bad: [] },
  {
    name: 'FORGE_API_URL',
    unset: 'https://api.github.com',
    good: [['https://ghe.test/api/v3', 'https://ghe.test/api/v3']],
    bad: [secret],
    rule: httpUrl,
  },
]
