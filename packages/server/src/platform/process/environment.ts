/**
 * The part of our environment that a child process may see. An allow list, so that an unforeseen variable stays
 * private. Everything an agent can read, its tools and the code it runs can read too.
 */
export function childEnvironment(options: {
  /** Further variables to pass on if set, such as a provider key or SSH_AUTH_SOCK. */
  pass?: readonly string[]
  /** Values that the caller sets. They override passed ones. */
  set?: Record<string, string>
  from?: NodeJS.ProcessEnv
}): Record<string, string> {
  const { pass = [], set = {}, from = process.env } = options
  refuseOwnSecrets({ pass, set, from })
  const passed = Object.entries(from).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && (isHarmless(entry[0]) || pass.includes(entry[0])),
  )
  const found = Object.fromEntries(passed)
  return { ...found, ...bypassProxyForLoopback(found), ...set }
}

/** Agents call this service on loopback, which a remote proxy cannot reach. */
function bypassProxyForLoopback(found: Record<string, string>): Record<string, string> {
  if (!found.http_proxy && !found.HTTP_PROXY) return {}
  const names = [found.no_proxy || found.NO_PROXY, '127.0.0.1', 'localhost', '::1'].filter(Boolean).join(',')
  return { no_proxy: names, NO_PROXY: names }
}

/** Yardmaster's own secrets. No child process gets them. */
export const ownSecrets: readonly string[] = [
  'API_KEYS',
  'SUPERVISOR_PASSWORD',
  'DATABASE_URL',
  'REDIS_URL',
  'YARDMASTER_MASTER_KEY',
  'X_OAUTH_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
]

function refuseOwnSecrets(asked: { pass: readonly string[]; set: Record<string, string>; from: NodeJS.ProcessEnv }) {
  for (const name of ownSecrets) {
    // A project may set a DATABASE_URL of its own, but never gets ours.
    const isOurs = asked.set[name] !== undefined && asked.set[name] === asked.from[name]
    if (asked.pass.includes(name) || isOurs) {
      throw new Error(`${name} is Yardmaster's own secret and is never passed to a child process.`)
    }
  }
}

export function isHarmless(name: string): boolean {
  return harmless.has(name) || name.startsWith('LC_')
}

const harmless: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  // Network access and trusted certificates.
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'http_proxy',
  'HTTP_PROXY',
  'https_proxy',
  'HTTPS_PROXY',
  'no_proxy',
  'NO_PROXY',
])
