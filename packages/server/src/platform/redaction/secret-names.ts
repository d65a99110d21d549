/** How specific a name is, which decides how much its value must look like a secret. */
export type NameKind = 'password' | 'passphrase' | 'secret' | 'token' | 'key'

/**
 * The kind of secret that a name denotes, in any spelling (`DB_PASSWORD`, `dbPassword`, `db.password`). Only its last
 * words count: `token_count`, `passwordField` and `secret_name` denote something about a secret, not the secret.
 */
export function secretNameKind(name: string): NameKind | undefined {
  const words = wordsOf(name)
  while (words.length > 1 && tailWords.has(words.at(-1) ?? '')) words.pop()
  const last = words.at(-1) ?? ''
  const before = words.at(-2) ?? ''
  if (last.endsWith('passphrase')) return 'passphrase'
  if (/(?:password|passwd|passcode)$|^(?:pwd|pw|pgpass)$/.test(last)) return 'password'
  if (last === 'pass' || last === 'psw') return words.length > 1 ? 'password' : undefined
  if (last === 'word' && before === 'pass') return 'password'
  if (last === 'phrase' && before === 'pass') return 'passphrase'
  if (secretWord.test(last)) return 'secret'
  if (last === 'token' || /(?:auth|access|refresh|api|bearer|session|bot)token$/.test(last)) {
    return harmlessTokens.has(before) ? undefined : 'token'
  }
  if (last === 'jwt' || last === 'otp') return words.length > 1 ? 'token' : undefined
  if (last === 'pat') return forges.has(before) ? 'token' : undefined
  if (last === 'key') {
    if (before === '' || harmlessKeys.has(before)) return undefined
    return keyOwners.has(before) ? 'secret' : 'key'
  }
  return undefined
}

const secretWord = /(?:secret|credentials?|(?:access|secret|private|api|auth|signing|encryption|master)key)$/

/** Suffixes that do not change what is named: `PASSWORD_1`, `tokenProd`, `client-key-data`. */
export const tailPattern =
  '(?:[-_.]?(?:\\d{1,3}|value|prod|production|staging|stage|dev|live|test|main|old|new|primary|secondary|base|base64|b64|data|string|str|text|plain|plaintext|raw|hex))'

const tailWords = new Set(
  'value prod production staging stage dev live test main old new primary secondary base b data string str text plain plaintext raw hex'.split(
    ' ',
  ),
)

/** `GITHUB_PAT` is a personal access token, `HEX_PAT` a pattern. */
const forges = new Set('github gh gitlab gl bitbucket azure devops ado ext forge gitea personal bot ci'.split(' '))

/** `page_token` is a position in a list and `eos_token` a symbol in a text. */
const harmlessTokens = new Set(
  'page next prev previous continuation continue cursor sync pad eos bos unk sep cls mask stop start end special img image per first last max min num total lookahead syntax lexer parser cancel cancellation design color input output prompt completion count resume skip'.split(
    ' ',
  ),
)

/** Words that make `key` a cryptographic or access key. */
const keyOwners = new Set(
  'api access secret private priv auth account encryption encrypt signing sign signature master license service admin root storage shared client webhook app application rsa ssh deploy session cipher aes hmac crypt crypto decryption wallet tls ssl server ingest write read rest'.split(
    ' ',
  ),
)

/** Words that make `key` a key of a table, of a keyboard, or a public key. */
const harmlessKeys = new Set(
  'public pub cache primary foreign sort partition row object hash range index lookup map dict json i n translation message group unique composite idempotency dedup dedupe deduplication routing event state query registry config setting settings feature flag label name column field shortcut hot arrow enter escape tab modifier home end up down left right any press this that the a our your my each every same other parent child host known data entry item list array string natural surrogate business record document doc s redis metric tag attribute attr property prop option param parameter header env environment locale translate storybook react vue node meta issue project jira ticket sitemap site recaptcha socket'.split(
    ' ',
  ),
)

/** `dbPassword2`, `DB_PASSWORD` and `db.password` are the same two words. */
function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase())
}
