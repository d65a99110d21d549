import { setTimeout as wait } from 'node:timers/promises'
import { benchKey } from './host.mjs'

const headers = { 'x-api-key': benchKey, 'content-type': 'application/json' }

/** Creates a session, with the demo agent by default, and returns its id. */
export async function createSession(host, prompt, attributes = {}) {
  const git_root = host.app.home.in('sample-repository')
  const body = JSON.stringify({ git_root, agent_runtime: 'demo', prompt, ...attributes })
  const answer = await fetch(`${host.web.url}/api/v1/sessions`, { method: 'POST', headers, body })
  if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()).session.id
}

/** Sends a follow-up to a session at rest. */
export async function followUp(host, id, prompt) {
  const body = JSON.stringify({ prompt })
  const answer = await fetch(`${host.web.url}/api/v1/sessions/${id}/follow_up`, { method: 'POST', headers, body })
  if (answer.status !== 200) throw new Error(`follow_up answered ${answer.status}: ${await answer.text()}`)
}

/** Waits until the session rests. Reads the row directly, which costs less than a request. */
export async function atRest(host, id) {
  for (;;) {
    const { status } = await host.app.db
      .selectFrom('sessions')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    if (status !== 'waiting' && status !== 'running') return status
    await wait(5)
  }
}

export function median(figures) {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
