import { Problem } from '@yardmaster/client/client'
import { problemOf } from '@yardmaster/client/problem'

/** Who uses this browser. */
export type BrowserSession = {
  /** Null until they give it. */
  name: string | null
  person_key: string | null
  signed_in_by: 'key' | 'link' | 'none'
  operator: boolean
  /** `none`: everyone who reaches the server may do everything here. */
  web_auth: 'session' | 'none'
}

/** Null when this browser is not signed in. */
export async function readBrowserSession(): Promise<BrowserSession | null> {
  try {
    return await send('GET')
  } catch (error) {
    if (isSignedOut(error)) return null
    throw error
  }
}

/** `key` is an API key, or what a one-time link has after `#k=`. */
export function signIn(proof: { key: string; name?: string }): Promise<BrowserSession | null> {
  return send('POST', proof)
}

/** The name under which this person's messages are recorded. */
export function giveName(name: string): Promise<BrowserSession | null> {
  return send('PATCH', { name })
}

export async function signOut(): Promise<void> {
  await send('DELETE')
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof Problem && error.status === 401
}

async function send(method: string, body?: object): Promise<BrowserSession | null> {
  const response = await fetch('/web/session', {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await problemOf(response)
  if (response.status === 204) return null
  const { session } = (await response.json()) as { session: BrowserSession }
  return session
}
