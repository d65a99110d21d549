import { expect } from 'vitest'
import type { Answer, TestApp } from '../app/app.ts'
import { eventually } from '../vitest/eventually.ts'

type Api = Pick<TestApp, 'get' | 'post'>

/** Creates a session whose demo agent runs these lines. Returns the session as the create answered it. */
export async function startDemo(
  api: Api,
  session: { git_root: string; lines: readonly string[]; branch?: string; subdirectory?: string },
): Promise<Answer['body']> {
  const { lines, ...rest } = session
  const answer = await api.post('/sessions', { agent_runtime: 'demo', prompt: lines.join('\n'), ...rest })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.session
}

export async function findDemo(api: Api, id: number): Promise<Answer['body']> {
  return (await api.get(`/sessions/${id}`)).body.session
}

/** Waits until the session needs input or has failed, and returns it. */
export function atRest(api: Api, id: number): Promise<Answer['body']> {
  return waitForStatus(api, id, 'needs_input', 'failed')
}

/** Waits until the session has one of the statuses, and returns it. */
export function waitForStatus(api: Api, id: number, ...statuses: string[]): Promise<Answer['body']> {
  return eventually(
    () => findDemo(api, id),
    (session) => statuses.includes(session?.status),
  )
}

/** The stored entries of the main thread, in order. */
export async function entriesOf(api: Api, id: number): Promise<Answer['body'][]> {
  const { body } = await api.get(`/sessions/${id}?include_transcript=true`)
  const lines: string = body.session.transcript ?? ''
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** The rendered transcript. */
export async function textOf(api: Api, id: number): Promise<string> {
  // Before the first entry is stored there is no transcript.
  return (await api.get(`/sessions/${id}/transcript`)).body.transcript_text ?? ''
}
