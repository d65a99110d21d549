import { fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const secret = 'bench-signing-secret'

/** The chat platform of the tests, and the environment of a host that is connected to it. */
export async function openChat() {
  const source = fileURLToPath(new URL('../../packages/server/test/support/remote/chat-server.ts', import.meta.url))
  const { runnerImport } = await import('vite')
  const { module } = await runnerImport(source, { configFile: false, logLevel: 'error' })
  const chat = await module.startChatServer()
  return { chat, environment: { ...chat.environment, CHAT_SIGNING_SECRET: secret } }
}

/** A platform keeps its connections. With fewer, a webhook waits for another one's answer before it is sent. */
const agent = new Agent({ keepAlive: true, maxSockets: 200 })

/**
 * Delivers a signed webhook and waits for its answer.
 *
 * @param {{ web: { url: string } }} host
 * @param {string} body
 */
export function deliver({ web }, body) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
  }
  return new Promise((resolve, reject) => {
    const sent = request(`${web.url}/api/v1/webhooks/chat`, { method: 'POST', headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`a webhook was answered ${response.statusCode}`))
      response.resume()
      response.once('end', resolve)
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

/**
 * Delivers webhooks, one every millisecond, from a separate process: the platform takes no time of the server. Returns how many
 * milliseconds each answer took. The `first` ones are not counted: meanwhile both processes compile their code and connect.
 *
 * @param {{ web: { url: string } }} host
 * @param {{ first: string[], bodies: string[] }} webhooks
 * @returns {Promise<number[]>}
 */
export function deliverEachMillisecond({ web }, webhooks) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [web.url])
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the process that delivers webhooks exited with code ${code}`)))
    child.send(webhooks)
  })
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const web = { url: process.argv[2] }
  const deliverAll = (bodies) =>
    Promise.all(
      bodies.map(async (body, n) => {
        await wait(n)
        const sentAt = performance.now()
        await deliver({ web }, body)
        return performance.now() - sentAt
      }),
    )
  process.once('message', async ({ first, bodies }) => {
    await deliverAll(first)
    process.send(await deliverAll(bodies), () => process.exit(0))
  })
}
