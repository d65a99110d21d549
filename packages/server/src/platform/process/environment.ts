/**
 * What a child process may see of our environment: an allow list, because a variable nobody thought of must stay
 * here. Whatever an agent can read, its tools and the code it runs can read too.
 */
export function childEnvironment(options: {
  /** Further names to hand on, if we have them: a provider key, SSH_AUTH_SOCK. */
  pass?: readonly string[]
  /** Values of the caller's own; they win over what is handed on. */
  set?: Record<string, string>
  from?: NodeJS.ProcessEnv
}): Record<string, string> {
  const { pass = [], set = {}, from = process.env } = options
  refuseOwnSecrets({ pass, set, from })
  const handedOn = Object.entries(from).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && (isHarmless(entry[0]) || pass.includes(entry[0])),
  )
  const found = Object.fromEntries(handedOn)
  return { ...found, ...pastTheProxy(found), ...set }
}

/** Agents speak to the service on this machine, where a proxy elsewhere cannot reach. */
function pastTheProxy(found: Record<string, string>): Record<string, string> {
  if (!found.http_proxy && !found.HTTP_PROXY) return {}
  const names = [found.no_proxy || found.NO_PROXY, '127.0.0.1', 'localhost', '::1'].filter(Boolean).join(',')
  return { no_proxy: names, NO_PROXY: names }
}

/** The keys to Yardmaster itself. No child gets them, whoever asks. */
export const ownSecrets: readonly string[] = [
  'API_KEYS',
  'SUPERVISOR_PASSWORD',
  'DATABASE_URL',
  'REDIS_URL',
  'YARDMASTER_MASTER_KEY',
]

function refuseOwnSecrets(asked: { pass: readonly string[]; set: Record<string, string>; from: NodeJS.ProcessEnv }) {
  for (const name of ownSecrets) {
    // A project may have a DATABASE_URL of its own and have it set; ours it never gets.
    const isOurs = asked.set[name] !== undefined && asked.set[name] === asked.from[name]
    if (asked.pass.includes(name) || isOurs) {
      throw new Error(`${name} is Yardmaster's own secret and is never handed to a child process.`)
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
  // How to reach the network from here, and whom to trust there.
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
