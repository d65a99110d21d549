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

/** What one model call used. Two lines of a transcript that tell of one call have one request id. */
export type Usage = {
  request_id: string
  model: string
  called_at: Date
  /** Whether a subagent made the call. */
  subagent: boolean
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_creation_tokens: number
  cache_creation_5m_tokens: number
  cache_creation_1h_tokens: number
  web_search_requests: number
  web_fetch_requests: number
  service_tier: string | null
}

/**
 * What a kind of coding agent must be able to do. It knows processes and files, no tables. An agent writes a prompt to
 * its transcript before it acts on it: recovery tells by that whether it has the prompt.
 */
export type Runtime = {
  name: string
  models(): readonly RuntimeModel[]
  newConversationId(): string
  start(order: TurnOrder): Promise<RunningTurn>
  transcriptFiles(conversation: Conversation): Promise<TranscriptFile[]>
  /** Puts the main thread on disk, so that the agent can go on from there: after a move, an unarchive, a fork. */
  writeTranscript(conversation: Conversation, lines: AsyncIterable<string>): Promise<TranscriptFile>
  /** What a line of the transcript tells of a model call, if it tells of one. */
  usageOf(line: string): Usage | undefined
}
