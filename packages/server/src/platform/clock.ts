/** Where time comes from, so that tests can hold it. Leases and order use the database's clock, never this one. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }
