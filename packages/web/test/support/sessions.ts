import { expect, onTestFinished } from 'vitest'
import { isServerShared, sharedServer } from './browser.ts'

type Made = { id: number; status: string }

/** A session of the demo runtime that has finished its first turn, or whose agent is at work. */
export async function makeSession(title: string, prompt = 'Say hello', reaches?: 'running'): Promise<Made> {
  const { call } = sharedServer()
  const { session } = await call<{ session: Made }>('POST', '/sessions', { prompt, title, agent_root: 'sample' })
  const read = async () => (await call<{ session: Made }>('GET', `/sessions/${session.id}`)).session
  // After the test it would keep one of the ten slots that all files share.
  if (reaches && isServerShared()) onTestFinished(() => call('DELETE', `/sessions/${session.id}`).then(ignore, ignore))
  if (reaches === undefined) await expect.poll(async () => (await read()).status).toMatch(/^(needs_input|failed)$/)
  else await expect.poll(() => isAtWork(session.id)).toBe(true)
  return read()
}

/** A session is `running` before its agent has the prompt. A turn that ends in between puts the prompt back in the queue. */
export async function isAtWork(id: number): Promise<boolean> {
  type Listed = { turns: { started_at: string | null; ended_at: string | null }[] }
  const { turns } = await sharedServer().call<Listed>('GET', `/sessions/${id}/turns`)
  return turns.some(({ started_at, ended_at }) => started_at !== null && ended_at === null)
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

function ignore(): void {
  // The test has deleted it already.
}
