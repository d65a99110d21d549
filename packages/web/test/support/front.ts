import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../../dist', import.meta.url))
const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

/** The policy under which the server serves the pages. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types yardmaster"

/** Serves the built pages, and `/web` with the key of a server that has no browser sessions. */
export async function launchFront({ url, key }: { url: string; key: string }): Promise<{ url: string; close(): void }> {
  let isSignedIn = true
  let name: string | null = 'Ada'
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', url)
    if (pathname === '/web/session') {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const { key: given, name: typed } = JSON.parse(text || '{}') as { key?: string; name?: string }
        if (typed) name = typed
        if (request.method === 'DELETE') isSignedIn = false
        if (request.method === 'POST') isSignedIn = given === key
        const session = { id: 1, name, person_key: 'ada', signed_in_by: 'key', operator: false, web_auth: 'session' }
        response.writeHead(isSignedIn ? 200 : 401, { 'content-type': 'application/json' })
        const refusal = { error: 'Unauthorized', messages: ['That is not an API key of this server'] }
        response.end(JSON.stringify(isSignedIn ? { session } : refusal))
      })
      return
    }
    if (pathname.startsWith('/web/v1')) {
      const path = `/api/v1${(request.url ?? '').slice('/web/v1'.length)}`
      const { host: _, origin: __, ...headers } = request.headers
      const passed = forward(
        url + path,
        { method: request.method, headers: { ...headers, 'x-api-key': key } },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
        },
      )
      passed.on('error', () => response.destroy())
      response.on('close', () => passed.destroy())
      request.pipe(passed)
      return
    }
    const file = dist + pathname
    const isFile = pathname !== '/' && existsSync(file) && statSync(file).isFile()
    const path = isFile ? file : `${dist}/index.html`
    response.writeHead(200, {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      'content-security-policy': policy,
    })
    response.end(readFileSync(path))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
