/** The source of time, so that tests can control it. Leases and ordering use the database's clock instead. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }
