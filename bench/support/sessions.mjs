import { setTimeout as wait } from 'node:timers/promises'
import { benchKey } from './host.mjs'

const headers = { 'x-api-key': benchKey, 'content-type': 'application/json' }

/** Creates a session, of the demo agent if nothing else is said, and gives its id. */
export async function createSession(host, prompt, order = {}) {
  const git_root = host.app.home.in('sample-repository')
  const body = JSON.stringify({ git_root, agent_runtime: 'demo', prompt, ...order })
  const answer = await fetch(`${host.web.url}/api/v1/sessions`, { method: 'POST', headers, body })
  if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()).session.id
}

/** Says something to a session at rest. */
export async function say(host, id, prompt) {
  const body = JSON.stringify({ prompt })
  const answer = await fetch(`${host.web.url}/api/v1/sessions/${id}/follow_up`, { method: 'POST', headers, body })
  if (answer.status !== 200) throw new Error(`follow_up answered ${answer.status}: ${await answer.text()}`)
}

/** Waits until the session rests, looking at the row itself so that the look costs next to nothing. */
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
