import { createHmac } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const secret = 'bench-signing-secret'

/** The chat platform of the tests, and the environment of a host that is connected to it. */
export async function openChat() {
  const source = fileURLToPath(new URL('../../packages/server/test/support/remote/chat-server.ts', import.meta.url))
  const { module } = await runnerImport(source, { configFile: false, logLevel: 'error' })
  const chat = await module.startChatServer()
  return { chat, environment: { ...chat.environment, CHAT_SIGNING_SECRET: secret } }
}

/**
 * Delivers a signed webhook and waits for its answer.
 *
 * @param {{ web: { url: string } }} host
 * @param {string} body
 */
export async function deliver({ web }, body) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  const response = await fetch(`${web.url}/api/v1/webhooks/chat`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
  })
  if (response.status !== 200) throw new Error(`a webhook was answered ${response.status}`)
  await response.arrayBuffer()
}
