import { createHash } from 'node:crypto'
import { GitFailed } from './git-failed.ts'

/**
 * The address of a repository, parsed from an untrusted `git_root`. `url` is rebuilt from checked parts, so that git
 * parses the same as we do: a difference between two parsers is how such checks are bypassed. It never holds a secret
 * and is also what people see.
 */
export type RepositoryAddress = {
  transport: 'https' | 'http' | 'ssh' | 'local'
  /** The URL for git: a URL, `user@host:path`, or an absolute path. */
  url: string
  /** Removed from the URL and passed to git separately (see remote-access.ts). */
  credentials: Credentials | undefined
  /** The same for every spelling and every caller. Safe as a file name. */
  mirrorKey: string
}

export type Credentials = { username: string; password: string | undefined }

/** @throws GitFailed of kind `refused`. The reason does not quote the text, which may hold a password. */
export function parseRepositoryAddress(text: string): RepositoryAddress {
  checkCharacters(text)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'https' || scheme === 'http') return readWebUrl(text, scheme)
  if (scheme === 'ssh') return readSshUrl(text)
  if (scheme === 'file') return readFileUrl(text)
  if (scheme !== undefined) refuse(`${scheme}:// is not supported`)
  if (text.startsWith('/')) return readPath(text)
  return readScpLike(text)
}

function readWebUrl(text: string, transport: 'https' | 'http'): RepositoryAddress {
  const url = readUrl(text)
  if (url.search !== '' || url.hash !== '') refuse('it must have no ? and no #')
  checkHost(url.hostname)
  // The URL parser has lowercased the host and dropped a default port.
  const origin = `${transport}://${url.host}`
  const path = checkUrlPath(url.pathname)
  const username = decode(url.username)
  const password = decode(url.password)
  const credentials = username === '' && password === '' ? undefined : { username, password: password || undefined }
  return address(transport, origin + path, credentials)
}

function readSshUrl(text: string): RepositoryAddress {
  const url = readUrl(text)
  if (url.search !== '' || url.hash !== '') refuse('it must have no ? and no #')
  if (url.password !== '') refuse('ssh takes no password in its address; use a key')
  checkHost(url.hostname)
  if (url.username !== '') checkSshUser(url.username)
  const user = url.username === '' ? '' : `${url.username}@`
  const port = url.port === '' || url.port === '22' ? '' : `:${url.port}`
  return address('ssh', `ssh://${user}${url.hostname.toLowerCase()}${port}${checkUrlPath(url.pathname)}`)
}

/** `user@host:path`. The user is required: without it `word:anything` would count as a repository. */
function readScpLike(text: string): RepositoryAddress {
  const parts = /^(?<user>[^@:/]+)@(?<host>\[[^\]]*\]|[^:/@]+):(?<path>.+)$/s.exec(text)?.groups
  if (parts?.user === undefined || parts.host === undefined || parts.path === undefined) {
    refuse('it must be an http(s), ssh or file URL, user@host:path, or an absolute path')
  }
  checkSshUser(parts.user)
  checkHost(parts.host)
  const path = withoutTrailingSlashes(parts.path)
  if (path === '') refuse('it has no path')
  // The path becomes an argument of git-upload-pack on the remote host.
  if (path.startsWith('-')) refuse('its path must not begin with "-"')
  return address('ssh', `${parts.user}@${parts.host.toLowerCase()}:${path}`)
}

function readFileUrl(text: string): RepositoryAddress {
  const path = /^file:\/\/(?:localhost)?(\/.*)$/is.exec(text)?.[1]
  if (path === undefined) refuse('a file URL must have the form file:///path')
  return readPath(decode(path))
}

function readPath(text: string): RepositoryAddress {
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.')
  // The kernel resolves `..` after a link, so two spellings of one path could get different keys.
  if (segments.includes('..')) refuse('its path must not contain ".."')
  return address('local', `/${segments.join('/')}`)
}

function address(transport: RepositoryAddress['transport'], url: string, credentials?: Credentials): RepositoryAddress {
  return { transport, url, credentials, mirrorKey: createHash('sha256').update(`${transport} ${url}`).digest('hex') }
}

/** Longer than the addresses of any forge, and short enough for one line of a message. */
const addressMaxLength = 2_048

function checkCharacters(text: string): void {
  if (text === '') refuse('it is empty')
  if (text.length > addressMaxLength) refuse(`it is longer than ${addressMaxLength} characters`)
  if (text.startsWith('-')) refuse('it must not begin with "-"')
  // git passes `name::rest` to the program git-remote-name; `ext::` and `fd::` run or read what follows.
  if (/^[a-z0-9+.-]*::/i.test(text)) refuse('transport helpers (name::...) are not supported')
  checkPrintable(text)
}

/** Control characters, line separators and lone surrogates do not belong in an address or a log line. */
function checkPrintable(text: string): void {
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)) refuse('it contains control characters')
}

function readUrl(text: string): URL {
  // The URL parser repairs these silently, and git does not.
  if (/[\s\\]/.test(text)) refuse('a URL must not contain blanks or backslashes')
  if (!URL.canParse(text)) refuse('it is not a valid URL')
  return new URL(text)
}

function checkHost(host: string): void {
  if (host === '') refuse('it has no host')
  // ssh and the helpers of git receive the host as an argument, as in `-oProxyCommand=...`.
  if (host.startsWith('-')) refuse('its host must not begin with "-"')
  const isName = /^[a-z0-9._-]+$/i.test(host)
  const isIpv6 = /^\[[0-9a-f:.]+\]$/i.test(host)
  if (!isName && !isIpv6) refuse('its host contains characters that host names do not have')
}

function checkSshUser(user: string): void {
  if (!/^[a-z0-9._+~][a-z0-9._+~-]*$/i.test(user)) refuse('its user contains characters that user names do not have')
}

function checkUrlPath(path: string): string {
  checkPrintable(decode(path))
  const trimmed = withoutTrailingSlashes(path)
  if (trimmed === '') refuse('it has no path')
  return trimmed
}

/** git decodes too, so encoded characters are checked like plain ones. */
function decode(encoded: string): string {
  try {
    const decoded = decodeURIComponent(encoded)
    checkPrintable(decoded)
    return decoded
  } catch (error) {
    if (error instanceof URIError) refuse('it contains a broken %-sequence')
    throw error
  }
}

function withoutTrailingSlashes(path: string): string {
  return path.replace(/\/+$/, '')
}

function refuse(reason: string): never {
  throw new GitFailed({ operation: 'Reading the repository address', kind: 'refused', reason })
}

/**
 * For display, without credentials: a reader may see the address but not what grants access. A user name alone is not
 * secret unless it is as long as a token.
 */
export function shownAddress(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)([^/@\s]*)@/i, (_whole, scheme: string, user: string) => {
    const [name = '', ...password] = user.split(':')
    if (password.length > 0) return `${scheme}${name}:${hidden}@`
    return `${scheme}${name.length < 20 ? name : hidden}@`
  })
}

const hidden = '[REDACTED:URL_CREDENTIALS]'
