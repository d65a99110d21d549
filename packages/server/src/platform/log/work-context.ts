import { AsyncLocalStorage } from 'node:async_hooks'

/** What the work underway is about. Every log line that is written meanwhile carries it. */
export type WorkContext = {
  request_id?: string
  session_id?: number
  turn_id?: string
  trigger_id?: number
  job?: string
  queue?: string
  periodic?: string
  /** The span underway, where traces are sent: under these names, so that a log and a trace can be joined. */
  trace_id?: string
  span_id?: string
  trace_flags?: string
}

const underway = new AsyncLocalStorage<Readonly<WorkContext>>()

/** Frozen: the log would write its own fields into it. */
const nothing: Readonly<WorkContext> = Object.freeze({})

export function workUnderway(): Readonly<WorkContext> {
  return underway.getStore() ?? nothing
}

/** Opened where work begins: a request, a job, a periodic run, a turn, a fire. Everything awaited in `work` inherits it. */
export function inWork<T>(about: WorkContext, work: () => T): T {
  return underway.run({ ...underway.getStore(), ...about }, work)
}

/** For work that serves several requests, or none: what it logs must not carry the ids of the request that began it. */
export function outsideWork<T>(work: () => T): T {
  return underway.run(nothing, work)
}

/** A callback that another part of the host calls later: it runs in the context of the caller of `bindWork`. */
export function bindWork<Args extends unknown[], T>(callback: (...args: Args) => T): (...args: Args) => T {
  const context = workUnderway()
  return (...args) => underway.run(context, () => callback(...args))
}
