import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { importRemote } from '../platforms.mjs'

/** The drain of a host without turns, and the two seconds for which it sends what is left. */
const exitLimitSeconds = 10

/** How a collector misbehaves. Each takes the answer to a request. */
const manners = {
  stalls: () => undefined,
  fails: (response) => response.writeHead(500).end(),
  throttles: (response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
  cuts: (response) => response.destroy(),
  'never ends': (response) => response.writeHead(200).write('{'),
}

export const badCollector = {
  name: 'R78',
  what: 'the collector of traces stalls, fails, throttles, cuts the connection or dies under turns',
  seeds: 10,
  limitSeconds: 120,
  limits: { 'exit (s)': exitLimitSeconds },
  round: async ({ cluster, seed, random, isShort }) => {
    const { startCollector } = await importRemote('collector')
    const collector = await startCollector()
    const name = `traced${seed}`
    try {
      const host = await cluster.start(name, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
      const accepted = []
      const ids = []
      for (let index = 0; index < (isShort ? 4 : 12); index += 1) {
        const manner = random.pick([...Object.keys(manners), 'dies'])
        if (manner === 'dies') await collector.close()
        else collector.answer = manners[manner]
        const tag = `R78.${seed}.${index}`
        ids.push(await createSession(cluster, host, cluster.effects.prompt(tag, 1, 'sleep 0.2')))
        accepted.push({ tag, number: 1 })
      }
      await settled(cluster, ids)
      const signalledAt = performance.now()
      const { code } = await host.stop('SIGTERM')
      return {
        ...judge(cluster.effects, accepted, cluster.homes()),
        figures: { 'exit (s)': (performance.now() - signalledAt) / 1000 },
        problems: code === 0 ? [] : [`the host exited with ${code}`],
      }
    } finally {
      await collector.close()
    }
  },
}
