import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as requestHttps } from 'node:https'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import Provider from 'oidc-provider'
import { type TlsServer, testCertificate, tlsServer } from './tls-server.ts'

export type AuthorizedMcpServer = {
  origin: string
  /** The MCP server. It demands a token of the authorization server at the same origin, issued for this address. */
  url: string
  /** The same over the older transport of server-sent events. */
  sseUrl: string
  /** How often the token endpoint gave tokens, for each kind of grant. */
  grants: Record<string, number>
  /** The paths that it was asked for, in order. */
  asked: string[]
  /** Goes through consent as a browser does. Returns the address that the person is sent back to. */
  consent(address: string): Promise<string>
  close(): Promise<void>
}

/** A client that a person registered with the authorization server. */
export type KnownClient = { client_id: string; client_secret: string; redirect_uris: readonly string[] }

type Options = {
  tokenSeconds?: number
  /** Only clients with a secret get a token. */
  demandsSecret?: boolean
  clients?: readonly KnownClient[]
}

/** A real authorization server, with registration and refresh tokens that work once, and a real MCP server behind it. Over TLS. */
export async function authorizedMcpServer(options: Options = {}): Promise<AuthorizedMcpServer> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const site = await tlsServer((request, response) => handle(request, response))
  const url = `${site.origin}/mcp`
  const grants: Record<string, number> = {}
  const asked: string[] = []
  const provider = openProvider(site, options)
  provider.on('grant.success', ({ oidc }) => {
    const grant = oidc.params.grant_type ?? 'none'
    grants[grant] = (grants[grant] ?? 0) + 1
  })
  const authorize = provider.callback()
  handle = (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    asked.push(path)
    if (path === '/mcp') return void serveMcp(provider, site.origin, request, response)
    if (path === '/sse' || path === '/messages') return void serveSse(provider, site.origin, request, response)
    if (path.startsWith('/interaction/')) return void decide(provider, url, request, response)
    const [, named] = /^\/\.well-known\/oauth-protected-resource(\/mcp|\/sse)$/.exec(path) ?? []
    if (named !== undefined) {
      const resource = site.origin + named
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(
        JSON.stringify({ resource, authorization_servers: [site.origin], scopes_supported: ['tools'] }),
      )
    }
    authorize(request, response)
  }
  return { origin: site.origin, url, sseUrl: `${site.origin}/sse`, grants, asked, consent: browse, close: site.close }
}

function openProvider({ origin }: TlsServer, options: Options): Provider {
  const { tokenSeconds = 3600, demandsSecret = false, clients = [] } = options
  return new Provider(origin, {
    clients: clients.map((client) => ({
      ...client,
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    })),
    clientAuthMethods: ['client_secret_post', 'client_secret_basic', ...(demandsSecret ? [] : ['none'])],
    scopes: ['openid', 'offline_access', 'tools'],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope: 'tools',
          audience,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: 'opaque',
        }),
        useGrantedResource: () => true,
      },
    },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    pkce: { required: () => true, methods: ['S256'] },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['only for tests'] },
    ttl: { Interaction: 600, Session: 600, Grant: 3600, RefreshToken: 3600, AuthorizationCode: 60, IdToken: 600 },
  })
}

/** Everyone is Ann, and agrees to everything. */
async function decide(
  provider: Provider,
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'ann' } })
  const grant = new provider.Grant({ accountId: session?.accountId ?? 'ann', clientId: params.client_id ?? '' })
  grant.addOIDCScope('openid offline_access tools')
  grant.addResourceScope(params.resource ?? url, 'tools')
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
}

async function serveMcp(
  provider: Provider,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!(await isAdmitted(provider, `${origin}/mcp`, request))) return challenge(`${origin}/mcp`, response)
  const transport = new StreamableHTTPServerTransport({})
  await newServer(request).connect(transport as Parameters<McpServer['connect']>[0]) // its optional callbacks are typed differently
  await transport.handleRequest(request, response)
}

const streams = new Map<string, SSEServerTransport>()

async function serveSse(
  provider: Provider,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!(await isAdmitted(provider, `${origin}/sse`, request))) return challenge(`${origin}/sse`, response)
  if (request.method === 'POST') {
    const id = new URL(request.url ?? '', origin).searchParams.get('sessionId') ?? ''
    const found = streams.get(id)
    return found ? found.handlePostMessage(request, response) : void response.writeHead(404).end()
  }
  const transport = new SSEServerTransport('/messages', response)
  streams.set(transport.sessionId, transport)
  response.on('close', () => streams.delete(transport.sessionId))
  await newServer(request).connect(transport)
}

async function isAdmitted(provider: Provider, url: string, { headers }: IncomingMessage): Promise<boolean> {
  const [, token = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? []
  const found = token === '' ? undefined : await provider.AccessToken.find(token)
  return found !== undefined && !found.isExpired && [found.aud].flat().includes(url)
}

function challenge(url: string, response: ServerResponse): void {
  const metadata = url.replace(/(\/\w+)$/, '/.well-known/oauth-protected-resource$1')
  response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
}

function newServer({ headers }: IncomingMessage): McpServer {
  const server = new McpServer({ name: 'vault', version: '1' })
  server.registerTool('secret', { description: 'Tells the secret.' }, () => ({
    content: [{ type: 'text', text: `the secret is ${headers['x-tenant'] ?? 'plain'}` }],
  }))
  return server
}

/** Follows redirects with cookies until one leaves the server. */
async function browse(address: string): Promise<string> {
  const cookies = new Map<string, string>()
  let next = address
  const { origin } = new URL(address)
  for (let hops = 0; hops < 20; hops += 1) {
    const { status, location, body } = await get(next, cookies)
    if (location === undefined) throw new Error(`${next} answered ${status}: ${body.slice(0, 300)}`)
    next = new URL(location, next).href
    if (new URL(next).origin !== origin) return next
  }
  throw new Error('the authorization server redirects for ever')
}

function get(
  address: string,
  cookies: Map<string, string>,
): Promise<{ status: number; location: string | undefined; body: string }> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return new Promise((resolve, reject) => {
    const options = { ca: testCertificate().cert, agent: false, headers: { cookie } } as const
    const sending = requestHttps(address, options, (answer) => {
      for (const each of answer.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
        cookies.set(name, value)
      }
      let body = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location, body }))
    })
    sending.on('error', reject)
    sending.end()
  })
}
