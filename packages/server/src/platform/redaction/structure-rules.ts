import type { Rule } from './rule.ts'
import { tailPattern } from './secret-names.ts'

const blanks = String.raw`[^\S\r\n]{0,8}`
/** A quote, escaped as often as nested JSON needs. */
const quote = String.raw`\\{0,7}["'\x60]`
const maybeQuote = `(?:${quote})?`
/** Characters that end an unquoted value. */
const ends = String.raw`"'\x60\\`
/** A quoted value with its escapes; a value whose quote is escaped, up to the next backslash; or an unquoted value. */
const value = [
  String.raw`(?<=\\["'])[^"'\\\0-\x1f]{4,400}`,
  String.raw`(?<=")(?:[^"\\\0-\x1f]|\\[^\0-\x1f]){4,400}`,
  String.raw`(?<=')(?:[^'\\\0-\x1f]|\\[^\0-\x1f]){4,400}`,
  String.raw`(?<=\x60)[^\x60\0-\x1f]{4,400}`,
  String.raw`(?<!["'\x60])${anyBut(String.raw`${ends},;&|<>(){}[\]`)}{4,400}`,
].join('|')

/** How the names of secrets end; `secret-names.ts` then checks the whole name. */
const nameEnds =
  'password passwd passphrase passcode pwd pass _pw secret token key credential credentials jwt _pat'.split(' ')
const name = `(?:${nameEnds.toReversed().join('|')})${tailPattern}?`
/** `=`, `:`, `=>`, `:=`, `: string =`, and Markdown around them. */
const equals = String.raw`${maybeQuote}\]?\*{0,2}${blanks}(?:=>|:=|\?=|={1,3}|:(?: ?[A-Za-z]{2,12} ?=)?)\*{0,2}${blanks}${maybeQuote}`
/** `"name", "value"`; `name: X` with `value: Y` beside it; the next column of a table; prose; a YAML block. */
const beside = [
  `${quote}${blanks},${blanks}${quote}`,
  String.raw`${maybeQuote},?[\s+>|-]{1,40}${maybeQuote}value${maybeQuote}${blanks}[:=]${blanks}${maybeQuote}`,
  String.raw`\*{0,2}${blanks}\|${blanks}${maybeQuote}`,
  `${maybeQuote} (?:is|was|set to|is set to):? ${maybeQuote}`,
  String.raw`: ?[|>][+-]?\r?\n[ \t]{1,20}`,
].join('|')

/** Secrets recognised by their surroundings, which stay readable while the value is replaced. */
export const structureRules: readonly Rule[] = [
  {
    label: 'ELICITATION_TOKEN',
    keywords: ['elicitations/session/'],
    frame: 'elicitations/session/',
    secret: String.raw`[\w.~-]{16,256}`,
    isInsideWords: true,
    example: 'https://yard.test/api/v1/elicitations/session/ + 43 word',
  },
  {
    label: 'API_KEY',
    keywords: ['api_keys', 'apikeys', 'api-keys'],
    frame: `api[-_]?keys(?:${equals}|>| )`,
    secret: `${anyBut(String.raw`${ends};&|<>(){}[\]`)}{8,400}`,
    isInsideWords: true,
    isAnyCase: true,
    check: 'keyList',
    example: 'API_KEYS= + 16 alnum + , + 16 alnum',
  },
  {
    label: 'BEARER_TOKEN',
    keywords: ['bearer'],
    frame: String.raw`bearer(?:[ \t:=+]|%20){1,4}${maybeQuote}`,
    secret: '[A-Za-z0-9._~+/=-]{20,512}',
    isAnyCase: true,
    check: 'opaque',
    example: 'Authorization: Bearer  + 40 alnum',
  },
  {
    label: 'BASIC_AUTH',
    keywords: ['basic'],
    frame: String.raw`basic(?:[ \t+]|%20){1,4}${maybeQuote}`,
    secret: '[A-Za-z0-9+/_-]{6,512}={0,2}',
    isAnyCase: true,
    check: 'userAndPassword',
    example: 'Authorization: Basic dXNlcjpo + dW50ZXIyaHVudGVyMg==',
  },
  {
    label: 'BASIC_AUTH',
    keywords: ['auth'],
    frame: `auth${maybeQuote}${blanks}[:=]${blanks}${maybeQuote}`,
    secret: '[A-Za-z0-9+/]{8,512}={0,2}',
    isInsideWords: true,
    check: 'userAndPassword',
    example: '"auth": "dXNlcjpo + dW50ZXIyaHVudGVyMg=="',
  },
  {
    label: 'AUTHORIZATION',
    keywords: ['authorization'],
    frame: String.raw`authorization(?:${maybeQuote}\]?${blanks}(?::|=(?=${blanks}${quote}))|(?<=["'](?:proxy-)?authorization)${quote}${blanks},)${blanks}${maybeQuote}(?:(?:bearer|basic|token|apikey|api-key|key|splunk|pat|sso-key|genie-?key|bot) {1,3})?(?:token=)?${maybeQuote}`,
    secret: `(?!https?:)${anyBut(String.raw`${ends},;(){}<>[\]`)}{12,512}`,
    isInsideWords: true,
    isAnyCase: true,
    check: 'opaque',
    example: 'Authorization: token  + 40 hex',
  },
  {
    label: 'API_KEY_HEADER',
    keywords:
      'api auth private job deploy vault security access csrf subscription functions app application admin rapidapi'
        .split(' ')
        .flatMap((word) => [`${word}-key`, `${word}-token`]),
    frame: String.raw`[a-z]{3,12}-(?:key|token)(?:${maybeQuote}\]?${blanks}:|(?<=["'][\w-]{1,40})${quote}${blanks},(?=${blanks}${quote}))${blanks}${maybeQuote}`,
    secret: `${anyBut(String.raw`${ends},;(){}<>[\]@`)}{8,512}`,
    isInsideWords: true,
    isAnyCase: true,
    check: 'opaque',
    example: 'X-Api-Key:  + 24 alnum',
  },
  {
    label: 'COOKIE',
    keywords: ['set-cookie'],
    frame: String.raw`set-cookie${maybeQuote}${blanks}[:=,]${blanks}${maybeQuote}[\w.-]{1,128}=`,
    secret: `${anyBut(`${ends};`)}{8,512}`,
    isAnyCase: true,
    check: 'cookies',
    example: 'Set-Cookie: sid= + 32 alnum + ; Path=/',
  },
  {
    label: 'COOKIE',
    keywords: ['cookie', ' -b '],
    frame: String.raw`(?<!set-)(?:cookie${maybeQuote}${blanks}[:=, ]| -b )${blanks}${maybeQuote}[\w.-]{1,128}=`,
    secret: String.raw`[^\0-\x1f${ends}]{8,1024}`,
    isInsideWords: true,
    isAnyCase: true,
    check: 'cookies',
    example: 'Cookie: sid= + 32 alnum + ; theme=dark',
  },
  {
    label: 'DB_CONNECTION_STRING',
    keywords:
      'postgres mysql mariadb mongodb redis amqp mssql sqlserver oracle clickhouse cockroachdb snowflake couchbase neo4j bolt cassandra kafka nats ldap libsql'.split(
        ' ',
      ),
    frame: String.raw`[a-z0-9]{3,12}(?:\+[a-z0-9]{1,12}){0,2}:\/\/${anyBut(String.raw`"'<>\\:/?#@`)}{0,128}:`,
    secret: String.raw`(?!\d{1,5}(?:[/?#,]|$))${anyBut(String.raw`"'<>\\`)}{1,256}(?=@[\w.[\]-])`,
    isInsideWords: true,
    isAnyCase: true,
    example: 'postgres://app: + 16 alnum + @db.internal:5432/app',
  },
  {
    label: 'DB_CONNECTION_STRING',
    keywords: ['password', 'pwd'],
    frame: String.raw`(?<=(?:server|host|hostaddr|data source|user id|uid|user|database|databasename|initial catalog|dbname) ?=[^\0-\x1f"'()]{1,120}[^,(\s][; &])(?:password|pwd)=\{?`,
    secret: `${anyBut(`${ends};&}()`)}{3,256}`,
    isAnyCase: true,
    example: 'Server=db;Database=app;User Id=sa;Password= + 14 alnum + ;Encrypt=true',
  },
  {
    label: 'DB_CONNECTION_STRING',
    keywords: [':5432:', ':3306:', ':6432:'],
    frame: String.raw`:\d{4}:${anyBut(':')}{1,64}:${anyBut(':')}{1,64}:`,
    secret: `${anyBut(`${ends}:`)}{4,256}`,
    isInsideWords: true,
    example: 'db.internal:5432:app:app: + 16 alnum',
  },
  {
    label: 'URL_CREDENTIALS',
    keywords: ['://'],
    frame: String.raw`:\/\/${anyBut(String.raw`"'<>\\:/?#@`)}{0,128}:`,
    secret: String.raw`${anyBut(String.raw`"'<>\\/?#`)}{1,256}(?=@[\w.[\]-])`,
    isInsideWords: true,
    example: 'https://ada: + 12 alnum + @forge.test/a.git',
  },
  {
    label: 'URL_CREDENTIALS',
    keywords: ['://'],
    frame: ':\\/\\/',
    secret: String.raw`${anyBut(String.raw`"'<>\\:/?#@`)}{20,256}(?=(?::${anyBut(String.raw`"'<>\\:/?#@`)}{0,64})?@[\w.[\]-])`,
    isInsideWords: true,
    check: 'opaque',
    example: 'https:// + 40 hex + @forge.test/a.git',
  },
  {
    label: 'URL_SIGNATURE',
    keywords: ['sig=', 'x-amz-signature=', 'x-goog-signature=', '&signature='],
    frame: '(?<=[?&;])(?:sig|x-amz-signature|x-goog-signature)=|&signature=',
    secret: '[A-Za-z0-9%+/=_~-]{20,512}',
    isInsideWords: true,
    isAnyCase: true,
    example: 'https://files.test/a?sv=2024&sig= + 43 alnum + %3D',
  },
  {
    label: 'WEBHOOK_URL',
    keywords: [
      'hooks.slack.com/',
      'discord.com/api/webhooks/',
      'discordapp.com/api/webhooks/',
      'webhook.office.com/',
      'hooks.zapier.com/',
      'chat.googleapis.com/',
    ],
    frame: String.raw`[a-z.]{8,30}\/(?:services|workflows|triggers|api\/webhooks|webhookb2|hooks\/catch|v1\/spaces)\/`,
    secret: String.raw`[\w@/.=&?%+~-]{20,400}`,
    example: 'https://hooks.slack.com/services/ + 9 uppernum + / + 11 uppernum + / + 24 alnum',
  },
  {
    label: 'NETRC_PASSWORD',
    keywords: ['machine', 'default'],
    frame: String.raw`(?:machine\s{1,8}\S{1,255}|default(?=\s{1,8}login))\s{1,8}(?:(?:login|account)\s{1,8}\S{1,128}\s{1,8}){0,2}password\s{1,8}`,
    secret: `${anyBut(ends)}{3,256}`,
    example: 'machine forge.test login ada password  + 16 alnum',
  },
  {
    label: 'COMMAND_PASSWORD',
    keywords: ['-u', '--user', '--proxy-user'],
    frame: String.raw`(?<=(?<![\w-])(?:curl|wget|http|https|xh)(?=\s)[^\0-\x1f]{0,160}[\s"',])(?:-u|--user|--proxy-user)(?:[ =]{1,3}|["'],\s?)?${maybeQuote}${anyBut(`${ends}:`)}{1,128}:`,
    secret: String.raw`(?!\/\/)${anyBut(ends)}{3,256}`,
    isInsideWords: true,
    example: 'curl -u ada: + 12 alnum +  https://api.test',
  },
  {
    label: 'COMMAND_PASSWORD',
    keywords: [' -p'],
    frame: String.raw`(?<=\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\0-\x1f]{0,120}) -p${maybeQuote}`,
    secret: `(?!-)${anyBut(ends)}{4,256}`,
    isInsideWords: true,
    example: 'mysql -h db -u app -p + 12 alnum +  app',
  },
  {
    label: 'COMMAND_PASSWORD',
    keywords: [' -p ', ' -a '],
    frame: String.raw`(?<=\b(?:sshpass|docker login|podman login|helm registry login|redis-cli|az login)\b[^\0-\x1f]{0,120}) -[pa] ${maybeQuote}`,
    secret: `(?!-)${anyBut(ends)}{4,256}`,
    isInsideWords: true,
    example: 'sshpass -p  + 12 alnum +  ssh ada@host.test',
  },
  {
    label: 'CLOUD_SECRET_ACCESS_KEY',
    keywords: ['secret_access_key', 'secretaccesskey', 'secret access key', 'secret-access-key', 'aws_secret'],
    frame: `(?:aws_secret(?:_key)?|secret[-_ ]?access[-_ ]?key)(?:${equals}|${beside}|>| )`,
    secret: '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])',
    isInsideWords: true,
    isAnyCase: true,
    example: 'AWS_SECRET_ACCESS_KEY= + 40 base64',
  },
  {
    label: 'CLOUD_STORAGE_KEY',
    keywords: ['accountkey', 'sharedaccesskey', 'sharedsecret'],
    frame: `(?:accountkey|sharedaccesskey|sharedsecret)${blanks}=${blanks}`,
    secret: '[A-Za-z0-9/+]{20,120}={0,2}',
    isInsideWords: true,
    isAnyCase: true,
    example: 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey= + 86 base64 + ==',
  },
  {
    label: 'OTP_SECRET',
    keywords: ['otpauth://'],
    frame: String.raw`otpauth:\/\/${anyBut('?')}{1,200}\?(?:${anyBut('?')}{1,100}&)?secret=`,
    secret: '[A-Z2-7]{16,128}',
    example: 'otpauth://totp/Acme:ada?secret= + 32 base32 + &issuer=Acme',
  },
  {
    label: 'SEED_PHRASE',
    keywords: ['mnemonic', 'seed phrase', 'seed_phrase', 'seedphrase', 'recovery phrase'],
    frame: `(?:mnemonic|seed[ _]?phrase|recovery phrase)${equals}`,
    secret: '(?:[a-z]{3,8} ){11,23}[a-z]{3,8}',
    isInsideWords: true,
    isAnyCase: true,
    example: 'mnemonic: "river cloud anchor mirror velvet puzzle orbit lantern cactus magnet whisper tunnel"',
  },
  {
    // Vendors that no row names follow the same custom: a prefix, what it is, and the random part.
    label: 'SERVICE_TOKEN',
    keywords: ['_sk_', '_pat_', '_apikey_', '_secret_', '_live_', '_prod_', '_uat_'],
    frame: '_[a-z]{2,6}_',
    secret: '[A-Za-z0-9]{20,200}',
    isInsideWords: true,
    check: 'random',
    example: 'acme_sk_ + 32 alnum',
  },
  {
    label: 'ENV_SECRET',
    keywords: nameEnds,
    frame: `${name}(?:${equals}|${beside})`,
    secret: value,
    isInsideWords: true,
    isAnyCase: true,
    check: 'assigned',
    example: 'DB_PASSWORD= + 16 alnum',
  },
  {
    label: 'ENV_SECRET',
    keywords: nameEnds,
    frame: `${name}>`,
    secret: String.raw`${anyBut('<>')}{4,400}(?=<\/)`,
    isInsideWords: true,
    isAnyCase: true,
    check: 'assigned',
    example: '<password> + 16 alnum + </password>',
  },
  {
    label: 'ENV_SECRET',
    keywords: nameEnds,
    frame: String.raw`${name}${maybeQuote}[ \t]{1,4}${maybeQuote}`,
    secret: value,
    isInsideWords: true,
    isAnyCase: true,
    check: 'handed',
    example: '--token  + 24 alnum',
  },
]

/** A visible character other than these. Control characters are never part of a secret: colour codes start with one. */
function anyBut(signs: string): string {
  return String.raw`[^\0-\x20\x7f${signs}]`
}
