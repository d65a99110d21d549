import type { Method } from '../../platform/http/endpoint.ts'

export const groupNames = ['sessions', 'sessions_readonly', 'self_session'] as const
export type Group = (typeof groupNames)[number]

/** One row of the table: what agents call by a name, made of endpoints. */
export type Tool = {
  name: string
  groups: readonly Group[]
  about: string
  /** What it does, by the name of the action. */
  calls: Readonly<Record<string, Call>>
  /** Which of them is meant; without it the argument `action` says. */
  choose?(args: Readonly<Record<string, unknown>>): string
}

/** An endpoint as a tool calls it. It takes what the endpoint takes, checks it there, and refuses what is refused there. */
export type Call = {
  endpoint: `${Method} /${string}`
  /** Not for agents; or for nobody who is bound to roots, agent or not. */
  closedTo?: 'agents' | 'bound'
  /** By the endpoint's own name the name of the argument, where that is another. */
  from?: Readonly<Record<string, string>>
  /** Of what the endpoint takes beside its path only these, by their own names. */
  takes?: readonly string[]
  /** What its query says whatever the arguments are, and what it says where they say nothing. */
  fixed?: Readonly<Record<string, string>>
  defaults?: Readonly<Record<string, string>>
  /** Of the answer only these. */
  shows?: readonly string[]
  /** Of each row of a list only these. */
  brief?: readonly string[]
  /** Texts are cut after so many characters, or not at all. With `verbose` rows are whole and nothing is cut. */
  cut?: number
  isWhole?: boolean
  /** Asked for as well and told under its own heading: always, or when the argument of this name is true. */
  also?: Readonly<Record<string, Call & { when?: string }>>
}
