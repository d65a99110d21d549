import { benchKey, startBenchHost } from './host.mjs'
import { median } from './sessions.mjs'

/**
 * Measures the same request on a host with few records and on one with many. `compare` prints how many times longer it takes
 * with many, and fails the bench above the target.
 *
 * @param {{ noun: string, few: number, many: number, rounds: number, target: number, environment?: Record<string, string>,
 *   seed(host: object, count: number): Promise<void> }} options
 * @param {(hosts: { small: object, large: object, measure: Function, compare: Function }) => Promise<void>} work
 */
export async function compareHosts({ noun, few, many, rounds, target, environment, seed }, work) {
  const small = await startBenchHost(environment)
  const large = await startBenchHost(environment)
  /** `run` gets a host and its number of records. */
  const measure = (run) =>
    inTurn(
      () => run(small.host, few),
      () => run(large.host, many),
      { rounds },
    )
  const compare = async (name, run, { atMost = target, addendum = '' } = {}) => {
    const { ratio, base, other } = await measure(run)
    console.log(
      `With ${many} ${noun} ${name} takes ${ratio.toFixed(2)} times what it takes with ${few} (${other.toFixed(1)} ms and ${base.toFixed(1)} ms; target: at most ${atMost})${addendum}`,
    )
    if (ratio > atMost) process.exitCode = 1
  }
  try {
    await seed(small.host, few)
    await seed(large.host, many)
    await work({ small: small.host, large: large.host, measure, compare })
  } finally {
    await Promise.all([small.stop(), large.stop()])
  }
}

/**
 * Runs both in turn, so that other load affects both. Returns the medians of their times in milliseconds, and the ratio.
 *
 * @param {() => Promise<unknown>} base
 * @param {() => Promise<unknown>} other
 * @param {{ rounds: number, warmUps?: number }} options
 */
export async function inTurn(base, other, { rounds, warmUps = 0 }) {
  const times = { base: [], other: [] }
  for (let round = -warmUps; round < rounds; round += 1) {
    const [baseTime, otherTime] = [await timeOf(base), await timeOf(other)]
    if (round < 0) continue
    times.base.push(baseTime)
    times.other.push(otherTime)
  }
  const [baseMedian, otherMedian] = [median(times.base), median(times.other)]
  return { ratio: otherMedian / baseMedian, base: baseMedian, other: otherMedian }
}

async function timeOf(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/**
 * The body of a successful answer of the API.
 *
 * @param {{ web: { url: string } }} host
 * @param {string} path
 * @param {object} [body] makes it a POST
 */
export async function ask(host, path, body) {
  const answer = await fetch(`${host.web.url}/api/v1${path}`, {
    headers: { 'x-api-key': benchKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return text
}
