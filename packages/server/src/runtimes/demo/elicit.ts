import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

type Poll = { action: string; content?: { answer?: string } | null }

const pollEveryMs = 1000

/** Asks a person over HTTP, as MCP servers do. Any answer but 2xx ends the turn; a server that is gone is asked again. */
export async function elicit(message: string, signal: AbortSignal): Promise<Poll> {
  const { ELICITATION_REQUEST_URL: address, ELICITATION_POLL_URL: pollAddress, ELICITATION_TTL_MS } = process.env
  if (!address || !pollAddress) throw new Error('This host has no address at which its agents can ask a person.')
  const requestId = randomUUID()
  const expiresAt = Date.now() + Number(ELICITATION_TTL_MS ?? 300_000)
  await send(address, signal, {
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      properties: { answer: { type: 'string', title: 'Answer' } },
      required: ['answer'],
    },
    _meta: {
      'com.yardmaster/request-id': requestId,
      'com.yardmaster/expires-at': new Date(expiresAt).toISOString(),
      'com.yardmaster/tool-name': 'ask',
    },
  })
  while (Date.now() < expiresAt) {
    await wait(pollEveryMs, undefined, { signal })
    const poll = await send(`${pollAddress}/${requestId}`, signal).catch(ifUnreachable)
    if (poll && poll.action !== 'pending') return poll
  }
  return { action: 'expired' }
}

async function send(address: string, signal: AbortSignal, body?: unknown): Promise<Poll> {
  const response = await fetch(address, {
    signal,
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  if (!response.ok) throw new Error(`The service answered ${response.status} to a question: ${await response.text()}`)
  return (await response.json()) as Poll // as the service declares it
}

/** `fetch` throws this for a connection that cannot be made. */
function ifUnreachable(error: unknown): undefined {
  if (!(error instanceof TypeError)) throw error
}
