import { fork } from 'node:child_process'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'

/**
 * Requests per second to one address, sent by a separate process so that the client does not slow the server down.
 *
 * @param {{ url: string, headers?: Record<string, string>, requests: number, connections: number }} options
 * @returns {Promise<number>}
 */
export function requestsPerSecond(options) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)])
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the load process exited with code ${code}`)))
  })
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url, headers = {}, requests, connections } = JSON.parse(process.argv[2])
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let left = requests
  const started = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left > 0) {
        left -= 1
        await send(url, { headers, agent })
      }
    }),
  )
  process.send(requests / ((performance.now() - started) / 1000), () => process.exit(0))
}

function send(url, options) {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`))
      response.resume()
      response.once('end', resolve)
    })
    sent.once('error', reject)
    sent.end()
  })
}
