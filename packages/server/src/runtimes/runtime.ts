import type { ProcessIdentity } from '../platform/process/process-table.ts'

export type RuntimeModel = {
  id: string
  label: string
  default: boolean
  requires_oauth: boolean
}

/** Where one session's conversation lives on this host. */
export type Conversation = {
  /** The runtime's own id of it, chosen or learnt before the first process starts. */
  id: string
  /** A folder of this session alone, for the runtime's configuration and files. */
  home: string
  workingDirectory: string
}

export type TurnOrder = {
  conversation: Conversation
  prompt: string
  goal: string | null
  model: string
  /** Stamped on every process of the turn, so that all of them can be found again. */
  marker: string
  /** Called whenever the agent shows a sign of life; its transcript may have grown. */
  onActivity(): void
}

/** How a turn ended, judged by the runtime's own protocol and never by an exit code alone. */
export type TurnEnd =
  | { kind: 'completed' }
  | { kind: 'interrupted' }
  | { kind: 'failed'; reason: TurnFailureReason; detail: string }

export const turnFailureReasons = [
  'auth',
  'rate_limit',
  'model',
  'too_long',
  'no_session',
  'overloaded',
  'agent_error',
  'crash',
] as const
export type TurnFailureReason = (typeof turnFailureReasons)[number]

export type RunningTurn = {
  identity: ProcessIdentity
  ended: Promise<TurnEnd>
  /** Asks by protocol, waits, insists, sweeps. Safe to call more than once; `ended` settles afterwards. */
  interrupt(): Promise<void>
}

/** A transcript on disk: the main conversation or one subagent's. */
export type TranscriptFile = { thread: string; path: string }
export const mainThread = 'main'

/** What a kind of coding agent must be able to do. It knows processes and files, no tables. */
export type Runtime = {
  name: string
  models(): readonly RuntimeModel[]
  newConversationId(): string
  start(order: TurnOrder): Promise<RunningTurn>
  transcriptFiles(conversation: Conversation): Promise<TranscriptFile[]>
}
