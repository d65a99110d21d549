import { z } from 'zod'
import { type Outbound, RequestFailed, shown } from './outbound.ts'

/** What an authorization server says of itself (RFC 8414), as far as it is used. */
const AuthServerMetadata = z.object({
  issuer: z.string().max(2000),
  authorization_endpoint: z.string().max(2000),
  token_endpoint: z.string().max(2000),
  registration_endpoint: z.string().max(2000).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional().catch(undefined),
  scopes_supported: z.array(z.string()).optional().catch(undefined),
})
export type AuthServer = z.infer<typeof AuthServerMetadata>

/** What a server says of who authorizes access to it (RFC 9728). */
const ResourceMetadata = z.object({
  resource: z.string().max(2000),
  authorization_servers: z.array(z.string().max(2000)).optional().catch(undefined),
  scopes_supported: z.array(z.string()).optional().catch(undefined),
})
type ResourceMetadata = z.infer<typeof ResourceMetadata>

export type Discovered = {
  authServer: AuthServer
  /** The resource indicator (RFC 8707). */
  resource: string
  /** What the server wants to be asked for. Undefined if it does not say. */
  scopes: readonly string[] | undefined
}

/** The message says what was asked and what is wrong with the answer. */
export class DiscoveryFailed extends Error {
  override readonly name = 'DiscoveryFailed'
}

/** Where the operator knows better: the address of the authorization server's metadata. */
type Hints = { metadataUrl?: string | undefined }

/**
 * Finds who authorizes access to an MCP server. Asks the server's well-known addresses, with its path and without, then the server
 * itself, whose refusal names them. Undefined if the server lets everyone in.
 */
export async function discover(
  outbound: Outbound,
  serverUrl: string,
  hints: Hints = {},
): Promise<Discovered | undefined> {
  const server = new URL(serverUrl)
  const problems: string[] = []
  const found = await findResource(outbound, server, problems)
  const scopes = found.challenge?.scopes ?? found.metadata?.scopes_supported
  const resource = found.metadata?.resource ?? resourceOf(server)
  if (hints.metadataUrl !== undefined) {
    const authServer = await readAuthServer(outbound, { address: hints.metadataUrl, issuer: undefined }, problems)
    if (!authServer) throw new DiscoveryFailed(sentence(server, problems))
    return { authServer, resource, scopes }
  }
  const issuers = found.metadata?.authorization_servers?.slice(0, 3) ?? [server.origin]
  for (const issuer of issuers) {
    for (const address of metadataAddresses(issuer)) {
      const authServer = await readAuthServer(outbound, { address, issuer }, problems)
      if (authServer) return { authServer, resource, scopes }
    }
  }
  if (!found.metadata && !found.challenge && found.isReached && problems.length === 0) return undefined
  throw new DiscoveryFailed(sentence(server, problems))
}

function sentence({ host }: URL, problems: readonly string[]): string {
  const [first = 'none of the well-known addresses has its metadata'] = problems
  return `The authorization server of ${host} is not known: ${first}`
}

type Challenge = { metadataAddress: string | undefined; scopes: string[] | undefined }
type Resource = { metadata?: ResourceMetadata; challenge?: Challenge; isReached?: boolean }

async function findResource(outbound: Outbound, server: URL, problems: string[]): Promise<Resource> {
  for (const address of withPath(server, 'oauth-protected-resource')) {
    const metadata = await readResource(outbound, address, server, problems)
    if (metadata) return { metadata }
  }
  const challenge = await challengeOf(outbound, server, problems)
  if (challenge === undefined) return {}
  if (challenge === 'none') return { isReached: true }
  const { metadataAddress } = challenge
  if (metadataAddress === undefined) return { challenge }
  const metadata = await readResource(outbound, metadataAddress, server, problems)
  return metadata ? { metadata, challenge } : { challenge }
}

/** The well-known address with the path of the server, and the one of its origin. */
function withPath({ origin, pathname }: URL, name: string): string[] {
  const path = pathname.replace(/\/+$/, '')
  return [...(path === '' ? [] : [`${origin}/.well-known/${name}${path}`]), `${origin}/.well-known/${name}`]
}

/** Metadata about another resource is not used: a server must not speak for others. */
async function readResource(
  outbound: Outbound,
  address: string,
  server: URL,
  problems: string[],
): Promise<ResourceMetadata | undefined> {
  const metadata = await readJson(outbound, address, ResourceMetadata, problems)
  if (metadata && !covers(metadata.resource, server)) {
    problems.push(`${shown(address)} is about another resource than the server`)
    return undefined
  }
  return metadata
}

function covers(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false
  const { origin, pathname } = new URL(resource)
  const [whole, part] = [`${server.pathname}/`, pathname.endsWith('/') ? pathname : `${pathname}/`]
  return origin === server.origin && whole.startsWith(part)
}

/** `none`: the server answers without demanding a token. Undefined if it cannot be reached. */
async function challengeOf(
  outbound: Outbound,
  server: URL,
  problems: string[],
): Promise<Challenge | 'none' | undefined> {
  try {
    const { status, headers } = await outbound(server.href, {
      headers: { accept: 'application/json, text/event-stream' },
      isBodyIgnored: true,
    })
    if (status !== 401) return 'none'
    return readChallenge(headers.get('www-authenticate') ?? '')
  } catch (error) {
    problems.push(problemOf(server.href, error))
    return undefined
  }
}

/** Reads `Bearer resource_metadata="…", scope="…"`. */
function readChallenge(header: string): Challenge {
  const parameter = (name: string): string | undefined => {
    const [, quoted, bare] =
      new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]{0,2000})"|([^\\s,"]{1,2000}))`, 'i').exec(header) ?? []
    return quoted ?? bare
  }
  const scopes = parameter('scope')?.split(' ').filter(Boolean)
  return { metadataAddress: parameter('resource_metadata'), scopes: scopes?.length ? scopes : undefined }
}

/** RFC 8414 puts the path of the issuer after the well-known name, OpenID before it; some servers have only one of them. */
function metadataAddresses(issuer: string): string[] {
  if (!URL.canParse(issuer)) return []
  const url = new URL(issuer)
  const path = url.pathname.replace(/\/+$/, '')
  const [oauth, openid] = [withPath(url, 'oauth-authorization-server'), withPath(url, 'openid-configuration')]
  return [...new Set([...oauth, ...openid, `${url.origin}${path}/.well-known/openid-configuration`])]
}

type AuthServerAddress = { address: string; issuer: string | undefined }

/** A document that names another issuer than it was asked for is not used (RFC 8414, 3.3): it may send people elsewhere. */
async function readAuthServer(
  outbound: Outbound,
  { address, issuer }: AuthServerAddress,
  problems: string[],
): Promise<AuthServer | undefined> {
  const metadata = await readJson(outbound, address, AuthServerMetadata, problems)
  if (!metadata || issuer === undefined) return metadata
  if (URL.canParse(metadata.issuer) && new URL(metadata.issuer).href === new URL(issuer).href) return metadata
  problems.push(`${shown(address)} names another issuer than ${shown(issuer)}`)
  return undefined
}

/** Undefined if the address has no such document. A document that cannot be used is a problem, and the next address is asked. */
async function readJson<T>(
  outbound: Outbound,
  address: string,
  schema: z.ZodType<T>,
  problems: string[],
): Promise<T | undefined> {
  try {
    const response = await outbound(address, { headers: { accept: 'application/json' } })
    if (response.status >= 500) problems.push(`${shown(address)} answered ${response.status}`)
    if (response.status !== 200) return undefined
    const { success, data } = schema.safeParse(await response.json())
    if (!success) problems.push(`${shown(address)} is not valid metadata`)
    return data
  } catch (error) {
    problems.push(problemOf(address, error))
    return undefined
  }
}

function problemOf(address: string, error: unknown): string {
  if (error instanceof RequestFailed) return `${shown(address)}: ${error.message}`
  if (error instanceof SyntaxError) return `${shown(address)} is not JSON`
  throw error
}

/** Scheme, host, port and path without a trailing slash. */
function resourceOf({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
