import { expect } from 'vitest'
import { sharedServer } from './browser.ts'

type Made = { id: number; status: string }

/** A session of the demo runtime that has finished its first turn, or has got as far as named. */
export async function makeSession(title: string, prompt = 'Say hello', reaches?: 'running'): Promise<Made> {
  const { call } = sharedServer()
  const { session } = await call<{ session: Made }>('POST', '/sessions', { prompt, title, agent_root: 'sample' })
  const read = async () => (await call<{ session: Made }>('GET', `/sessions/${session.id}`)).session
  const expected = reaches === undefined ? /^(needs_input|failed)$/ : new RegExp(`^${reaches}$`)
  await expect.poll(async () => (await read()).status).toMatch(expected)
  return read()
}

/** A question of a session, answered by the given form; without one it is a yes or a no. */
export async function ask(session: number, message: string, requestedSchema?: object): Promise<{ request: string }> {
  const request = crypto.randomUUID()
  await sharedServer().call('POST', '/elicitations', {
    _meta: { 'com.yardmaster/request-id': request, 'com.yardmaster/session-id': String(session) },
    message,
    ...(requestedSchema && { requestedSchema }),
  })
  return { request }
}
