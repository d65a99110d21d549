import { stripVTControlCharacters } from 'node:util'
import { leadingWords } from '../whole-words.ts'

/** What went wrong, as far as callers distinguish it. */
export type GitFailureKind =
  | 'not_found'
  | 'auth'
  | 'timeout'
  | 'network'
  | 'no_such_ref'
  | 'refused'
  | 'disk_full'
  | 'git_missing'
  | 'unknown'

/** A git operation failed. `reason` is one line that an operator may read; it holds no credentials. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed'
  readonly operation: string
  readonly kind: GitFailureKind
  readonly reason: string

  constructor(failure: { operation: string; kind: GitFailureKind; reason: string }) {
    super(`${failure.operation} failed: ${failure.reason}`)
    this.operation = failure.operation
    this.kind = failure.kind
    this.reason = failure.reason
  }

  /** Whether the unchanged request may succeed later. */
  get isRetryable(): boolean {
    return retryable.has(this.kind)
  }
}

const retryable = new Set<GitFailureKind>(['timeout', 'network', 'disk_full', 'unknown'])

/** Classifies what git, ssh or the forge printed about a failure. */
export function readFailure(stderr: string, secrets: readonly string[]): { kind: GitFailureKind; reason: string } {
  const lines = stderr
    .split('\n')
    .map(plain)
    .filter((line) => line !== '')
  for (const { kind, sign, advice } of signs) {
    const match = lines.find((line) => sign.test(line))
    if (match === undefined) continue
    const reason = oneLine(match, secrets)
    return { kind, reason: advice === undefined ? reason : `${reason} (${advice})` }
  }
  const last = lines.findLast((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1)
  return { kind: 'unknown', reason: oneLine(last ?? 'git gave no reason', secrets) }
}

/**
 * The first matching row wins, whatever the order of the lines: the last lines are the vaguest ("Could not read from
 * remote repository" follows every ssh failure).
 */
const signs: readonly { kind: GitFailureKind; sign: RegExp; advice?: string }[] = [
  { kind: 'disk_full', sign: /No space left on device|Disk quota exceeded/i },
  {
    kind: 'refused',
    sign: /dubious ownership/i,
    advice:
      'another user owns it; to trust it, add it to safe.directory in the git configuration of the user Yardmaster runs as',
  },
  {
    kind: 'refused',
    sign: /error: 30\d$/i,
    advice: 'redirects are not followed; use the address that it redirects to',
  },
  { kind: 'refused', sign: /transport '.*' not allowed|strange (host|path)name|certificate|redirection/i },
  {
    kind: 'auth',
    sign: /could not read (Username|Password)/i,
    advice: 'the user Yardmaster runs as needs a credential helper or an ssh key for this repository',
  },
  {
    kind: 'auth',
    sign: /Host key verification failed/i,
    advice: 'the host is not in known_hosts of the user Yardmaster runs as',
  },
  { kind: 'auth', sign: /Authentication failed|Invalid username or|Permission denied( \(|, please)|error: 40[137]$/i },
  { kind: 'not_found', sign: /does not appear to be a git repository|repository .*(not found|does not exist)/i },
  { kind: 'not_found', sign: /project you were looking for could not be found|error: 4(04|10)$|not valid: /i },
  { kind: 'no_such_ref', sign: /couldn't find remote ref|Remote branch .* not found/i },
  { kind: 'timeout', sign: /Operation too slow/i },
  {
    kind: 'network',
    sign: /Could not resolve|Failed to connect|Couldn't connect|Connection (refused|timed out|reset|closed)/i,
  },
  { kind: 'network', sign: /Network is unreachable|No route to host|Operation timed out|error: (429|5\d\d)$/i },
  { kind: 'network', sign: /early EOF|hung up|RPC failed|unexpected disconnect|Empty reply|(SSL|TLS|GnuTLS)[ _]/i },
  { kind: 'network', sign: /unable to access 'https?:|Could not read from remote repository/i },
  { kind: 'refused', sign: /Permission denied|Operation not permitted|Read-only file system/i },
]

/** Masks known values first, then the user part of any URL. */
export function maskCredentials(text: string, secrets: readonly string[] = []): string {
  const known = secrets.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length)
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  return withoutKnown.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/'"]*@/gi, '$1***@')
}

// A forge controls its messages. Colours and carriage returns could fake lines in a log.
function plain(line: string): string {
  return stripVTControlCharacters(line).replace(/\p{C}/gu, ' ').trim()
}

const reasonMaxLength = 300

function oneLine(line: string, secrets: readonly string[]): string {
  const masked = maskCredentials(line.replace(/^(fatal|error): /, ''), secrets)
  return masked.length > reasonMaxLength ? `${leadingWords(masked, reasonMaxLength)}…` : masked
}
