import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What this host counts by itself. What the database knows better is read when somebody asks. */
export type Metrics = {
  registry: Registry
  turnSeconds: Histogram<'outcome'>
  recoveries: Counter<'cause'>
  /** A figure that is looked up whenever the metrics are read: one value, or one a label. */
  lookUp(gauge: { name: string; help: string; label?: string; read(): Promise<number | Map<string, number>> }): void
}

/** A turn takes from a moment to hours. */
const turnBuckets = [1, 5, 15, 60, 300, 900, 3600, 14_400]

export function openMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    turnSeconds: new Histogram({
      name: 'yardmaster_turn_seconds',
      help: 'How long turns took on this host, from being taken to their end.',
      labelNames: ['outcome'],
      buckets: turnBuckets,
      registers,
    }),
    recoveries: new Counter({
      name: 'yardmaster_recoveries_total',
      help: 'Turns this host settled after a crash of its own or took over from another.',
      labelNames: ['cause'],
      registers,
    }),
    lookUp: ({ name, help, label, read }) => {
      new Gauge({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers,
        async collect() {
          const figure = await read()
          this.reset()
          if (typeof figure === 'number') this.set(figure)
          else for (const [value, count] of figure) this.set({ [label ?? '']: value }, count)
        },
      })
    },
  }
}
