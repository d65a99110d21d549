import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openOAuth } from '../../../src/platform/oauth/oauth.ts'
import { type TlsServer, testCertificate, tlsServer } from '../../support/oauth/tls-server.ts'

type Page = object | string | ((response: ServerResponse) => void)

let site: TlsServer
let pages: Record<string, Page> = {}
let asked: string[] = []

beforeAll(async () => {
  site = await tlsServer((request, response) => {
    asked.push(request.url ?? '')
    const page = pages[request.url ?? '']
    if (page === undefined) return void response.writeHead(404).end()
    if (typeof page === 'function') return page(response)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(typeof page === 'string' ? page : JSON.stringify(page))
  })
})
afterAll(() => site.close())
beforeEach(() => {
  pages = {}
  asked = []
})

const server = () => `${site.origin}/tenant/mcp`

function authServer(issuer: string, more: object = {}) {
  return { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, ...more }
}

function discover(metadataUrl?: string) {
  return openOAuth({ allowedOrigins: [site.origin], ca: testCertificate().cert }).discover(server(), { metadataUrl })
}

const challenge = (header: string) => (response: ServerResponse) =>
  void response.writeHead(401, { 'www-authenticate': header }).end()

describe('discovery', () => {
  it('finds the metadata of a resource and of an issuer that have a path', async () => {
    const issuer = `${site.origin}/realms/one`
    pages = {
      '/.well-known/oauth-protected-resource/tenant/mcp': {
        resource: server(),
        authorization_servers: [issuer],
        scopes_supported: ['tools'],
      },
      '/.well-known/oauth-authorization-server/realms/one': authServer(issuer),
    }
    expect(await discover()).toEqual({ authServer: authServer(issuer), resource: server(), scopes: ['tools'] })
  })

  it('falls back to the metadata of the origin', async () => {
    pages = {
      '/.well-known/oauth-protected-resource': { resource: site.origin, authorization_servers: [site.origin] },
      '/.well-known/oauth-authorization-server': authServer(site.origin),
    }
    expect(await discover()).toMatchObject({ resource: site.origin, scopes: undefined })
  })

  it.each(['/.well-known/openid-configuration/realms/one', '/realms/one/.well-known/openid-configuration'])(
    'falls back to OpenID at %s',
    async (path) => {
      const issuer = `${site.origin}/realms/one`
      pages = {
        '/.well-known/oauth-protected-resource': { resource: site.origin, authorization_servers: [issuer] },
        [path]: authServer(issuer),
      }
      expect((await discover())?.authServer.issuer).toBe(issuer)
    },
  )

  it('follows the address in WWW-Authenticate, and prefers the scopes named there', async () => {
    pages = {
      '/tenant/mcp': challenge(`Bearer error="invalid_token", resource_metadata="${site.origin}/about", scope="a b"`),
      '/about': { resource: server(), authorization_servers: [site.origin], scopes_supported: ['c'] },
      '/.well-known/oauth-authorization-server': authServer(site.origin),
    }
    expect(await discover()).toMatchObject({ scopes: ['a', 'b'], authServer: { issuer: site.origin } })
  })

  it('asks the origin of a server that says nothing about who authorizes it', async () => {
    pages = {
      '/tenant/mcp': challenge('Bearer'),
      '/.well-known/oauth-authorization-server': authServer(site.origin),
    }
    expect(await discover()).toMatchObject({ resource: server(), authServer: { issuer: site.origin } })
  })

  it('uses the metadata address of the operator, whatever issuer it names', async () => {
    pages = { '/elsewhere': authServer('https://issuer.test') }
    expect((await discover(`${site.origin}/elsewhere`))?.authServer.issuer).toBe('https://issuer.test')
  })

  it('finds nothing for a server that lets everyone in', async () => {
    pages = { '/tenant/mcp': (response) => void response.writeHead(405).end() }
    expect(await discover()).toBeUndefined()
  })

  it('does not read the body of a server that streams for ever', async () => {
    pages = {
      '/tenant/mcp': (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':'),
    }
    expect(await discover()).toBeUndefined()
  })

  const wellKnown = '/.well-known/oauth-authorization-server'

  it.each<[string, () => Record<string, Page>, RegExp]>([
    ['names another issuer', () => ({ [wellKnown]: authServer('https://evil.test') }), /another issuer/],
    [
      'is huge',
      () => ({ [wellKnown]: JSON.stringify({ ...authServer(site.origin), x: 'x'.repeat(1_100_000) }) }),
      /longer than/,
    ],
    ['is not JSON', () => ({ [wellKnown]: '<html>' }), /not JSON/],
    ['lacks its endpoints', () => ({ [wellKnown]: { issuer: site.origin } }), /not valid metadata/],
    [
      'has endpoints that are no texts',
      () => ({ [wellKnown]: authServer(site.origin, { token_endpoint: 7 }) }),
      /not valid/,
    ],
    ['fails', () => ({ [wellKnown]: (response) => void response.writeHead(500).end() }), /answered 500/],
    [
      'redirects to the metadata service of a cloud',
      () => ({
        [wellKnown]: (response) => void response.writeHead(302, { location: 'https://169.254.169.254/latest' }).end(),
      }),
      /public address/,
    ],
    [
      'redirects to cleartext',
      () => ({ [wellKnown]: (response) => void response.writeHead(302, { location: 'http://as.test/' }).end() }),
      /not an https address/,
    ],
    [
      'redirects for ever',
      () => ({ [wellKnown]: (response) => void response.writeHead(302, { location: wellKnown }).end() }),
      /too often/,
    ],
  ])('refuses metadata that %s', async (_what, given, sentence) => {
    pages = { '/tenant/mcp': challenge('Bearer'), ...given() }
    await expect(discover()).rejects.toThrow(sentence)
  })

  it('ignores metadata about another resource', async () => {
    pages = {
      '/.well-known/oauth-protected-resource/tenant/mcp': {
        resource: 'https://other.test/',
        authorization_servers: ['https://evil.test'],
      },
      '/.well-known/oauth-protected-resource': {
        resource: `${site.origin}/ten`,
        authorization_servers: ['https://evil.test'],
      },
      '/tenant/mcp': challenge('Bearer'),
      [wellKnown]: authServer(site.origin),
    }
    expect((await discover())?.authServer.issuer).toBe(site.origin)
  })

  it('asks no authorization server on a private network', async () => {
    pages = {
      '/.well-known/oauth-protected-resource': {
        resource: site.origin,
        authorization_servers: ['https://10.0.0.1', 'javascript:alert(1)', 'http://169.254.169.254'],
      },
    }
    await expect(discover()).rejects.toThrow(/public address/)
  })
})

describe('registration', () => {
  const register = (more: object = {}) =>
    openOAuth({ allowedOrigins: [site.origin], ca: testCertificate().cert }).register(
      authServer(site.origin, { registration_endpoint: `${site.origin}/register`, ...more }),
      { redirectUri: 'https://yard.test/mcp_oauth/callback', clientName: 'Yardmaster', scopes: ['tools'] },
    )
  const created = (body: object) => (response: ServerResponse) =>
    void response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  it('returns the client that the server made', async () => {
    pages = { '/register': created({ client_id: 'c1', client_secret: 's', client_secret_expires_at: 0 }) }
    expect(await register()).toEqual({
      id: 'c1',
      secret: 's',
      authMethod: 'client_secret_basic',
      secretExpiresAt: undefined,
    })
  })

  it('refuses to connect to a registration endpoint in cleartext', async () => {
    await expect(register({ registration_endpoint: 'http://127.0.0.1/register' })).rejects.toThrow(
      /not an https address/,
    )
    expect(asked).toEqual([])
  })

  it('says why it failed', async () => {
    pages = {
      '/register': (response) =>
        void response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: 'invalid_redirect_uri' })),
    }
    await expect(register()).rejects.toThrow(/invalid_redirect_uri/)
    pages = { '/register': (response) => void response.writeHead(500).end() }
    await expect(register()).rejects.toThrow(/500/)
  })
})
