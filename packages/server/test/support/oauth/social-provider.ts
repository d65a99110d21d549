import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { tlsServer } from './tls-server.ts'

type Asked = { authorization: string | undefined; form: Record<string, string> }

/** A provider whose clients use HTTP Basic and PKCE, and whose codes and refresh tokens work once. */
export async function socialProvider({ suffix = '' } = {}) {
  const codes = new Map<string, { challenge: string; redirectUri: string }>()
  const asked: Asked[] = []
  let number = 0
  let refreshToken = ''
  let other: ((response: ServerResponse) => void) | undefined
  const site = await tlsServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const form = Object.fromEntries(new URLSearchParams(body))
    asked.push({ authorization: request.headers.authorization, form })
    if (other) return other(response)
    const isGood = form.grant_type === 'refresh_token' ? form.refresh_token === refreshToken : isRedeemed(form)
    const answer = isGood ? newTokens() : { error: 'invalid_grant' }
    response.writeHead(isGood ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  const isRedeemed = ({ code = '', code_verifier = '', redirect_uri }: Record<string, string>): boolean => {
    const known = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256').update(code_verifier).digest('base64url')
    return known?.challenge === challenge && known.redirectUri === redirect_uri
  }
  const newTokens = () => {
    number += 1
    refreshToken = `social-refresh-token-${number}${suffix}`
    return { access_token: accessToken(), refresh_token: refreshToken, expires_in: 7200, token_type: 'bearer' }
  }
  const accessToken = () => `social-access-token-${number}${suffix}`
  return {
    ...site,
    tokenEndpoint: `${site.origin}/2/oauth2/token`,
    authorizationEndpoint: `${site.origin}/i/oauth2/authorize`,
    asked,
    accessToken,
    /** Gives consent as a person, and returns the address that they are sent back to. */
    consent: (url: string): string => {
      const { searchParams } = new URL(url)
      const code = `code-${codes.size}-${Math.random()}`
      const redirectUri = searchParams.get('redirect_uri') ?? ''
      if (searchParams.get('code_challenge_method') !== 'S256') throw new Error('no S256')
      codes.set(code, { challenge: searchParams.get('code_challenge') ?? '', redirectUri })
      return `${redirectUri}?${new URLSearchParams({ code, state: searchParams.get('state') ?? '' }).toString()}`
    },
    /** How it answers from now on; undefined: as it should. */
    answer: (how: typeof other) => {
      other = how
    },
  }
}
