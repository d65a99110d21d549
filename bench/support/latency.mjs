import { fork } from 'node:child_process'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'

/**
 * Asks an address every few milliseconds from a separate process, until `stop`, which returns the times of all answers in
 * milliseconds, sorted.
 *
 * @param {string} url
 */
export function watchLatency(url) {
  const child = fork(fileURLToPath(import.meta.url), [url])
  const times = new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the process that watches the latency exited with code ${code}`)))
  })
  return {
    stop: () => {
      child.send('stop')
      return times
    },
  }
}

const pauseMs = 5

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , url] = process.argv
  const agent = new Agent({ keepAlive: true })
  const times = []
  let isStopped = false
  process.once('message', () => {
    isStopped = true
  })
  while (!isStopped) {
    const asked = performance.now()
    await ask(url, agent)
    times.push(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  process.send(
    times.sort((one, other) => one - other),
    () => process.exit(0),
  )
}

function ask(url, agent) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`))
      response.resume()
      response.once('end', resolve)
    })
    sent.once('error', reject)
    sent.end()
  })
}
