import type { ServerResponse } from 'node:http'
import { tlsServer } from './tls-server.ts'

/** Refresh tokens work once. A test may answer the next request in another way. */
export async function tokenEndpoint() {
  let number = 1
  let current = 'refresh-token-1'
  let other: ((response: ServerResponse) => void) | undefined
  const seen: string[] = []
  const site = await tlsServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const given = new URLSearchParams(body).get('refresh_token') ?? ''
      seen.push(given)
      const answer = (status: number, content: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
      if (other) return other(response)
      if (given !== current) return void answer(400, { error: 'invalid_grant' })
      number += 1
      current = `refresh-token-${number}`
      answer(200, {
        access_token: `access-token-${number}`,
        refresh_token: current,
        expires_in: 3600,
        token_type: 'Bearer',
      })
    })
  })
  return {
    ...site,
    address: `${site.origin}/token`,
    seen,
    /** How it answers from now on; undefined: as it should. */
    answer: (how: typeof other) => {
      other = how
    },
    /** As if a request had reached it whose answer was lost. */
    useUp: () => {
      number += 1
      current = `refresh-token-${number}`
    },
    current: () => current,
  }
}
