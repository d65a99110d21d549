import type { ProcessIdentity } from '../platform/process/process-table.ts'
import type { Equipment } from './equipment.ts'

export type RuntimeModel = {
  id: string
  label: string
  default: boolean
  requires_oauth: boolean
}

/** Where one session's conversation lives on this host. */
export type Conversation = {
  /** The runtime's own id of it; undefined before the first turn of a runtime that names its conversations itself. */
  id: string | undefined
  /** A folder of this session alone, for the runtime's configuration and files. */
  home: string
  workingDirectory: string
}

export type TurnOrder = {
  conversation: Conversation
  prompt: string
  model: string
  equipment: Equipment
  /** Stamped on every process of the turn, so that all of them can be found again. */
  marker: string
  /**
   * Called once, when the agent's process is up and before it is given anything. Whoever dies meanwhile leaves an agent
   * that has done nothing. It rejects when the agent is no longer wanted: then it is stopped, and gets no prompt.
   */
  onUp(identity: ProcessIdentity): Promise<void>
  /** Called by a runtime that names its conversations itself: before it hands over the prompt, if it can. */
  onNamed(conversationId: string): Promise<void>
  /** Called whenever the agent shows a sign of life; its transcript may have grown. */
  onActivity(): void
  /** Something a person who looks at the session should know, such as a call to the model that is tried again. */
  onNotice(sentence: string): void
}

/** How a turn ended, judged by the runtime's own protocol and never by an exit code alone. */
export type TurnEnd =
  | { kind: 'completed' }
  | { kind: 'interrupted' }
  | { kind: 'failed'; reason: TurnFailureReason; detail: string }

export type TurnFailureReason =
  | 'auth'
  | 'rate_limit'
  | 'model'
  | 'too_long'
  | 'no_session'
  | 'overloaded'
  | 'agent_error'
  | 'crash'

export type RunningTurn = {
  identity: ProcessIdentity
  ended: Promise<TurnEnd>
  /** Asks by protocol, waits, insists, sweeps. Safe to call more than once; `ended` settles afterwards. */
  interrupt(): Promise<void>
}

/** A transcript on disk: the main conversation or one subagent's. */
export type TranscriptFile = { thread: string; path: string; subagent?: SubagentFacts }
export const mainThread = 'main'

/** What the runtime tells of a subagent beside its transcript. */
export type SubagentFacts = {
  subagent_type: string | null
  description: string | null
  /** The tool call of its parent that started it. */
  tool_use_id: string | null
}

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

/** What a runtime that tells only of plain tokens leaves open. */
export const plainUsage = {
  cache_read_tokens: 0,
  cache_creation_tokens: 0,
  cache_creation_5m_tokens: 0,
  cache_creation_1h_tokens: 0,
  web_search_requests: 0,
  web_fetch_requests: 0,
  service_tier: null,
} as const satisfies Partial<Usage>

/**
 * What a kind of coding agent must be able to do. It knows processes and files, no tables. An agent writes a prompt to
 * its transcript before it acts on it: recovery tells by that whether it has the prompt.
 */
export type Runtime = {
  name: string
  /** Only where it is a program that has to be installed and signed in. */
  cli?: AgentCli
  models(): readonly RuntimeModel[]
  /** Undefined where the runtime names its conversations itself. */
  newConversationId(): string | undefined
  /**
   * Puts what the session is equipped with where its agent finds it, and takes away what it no longer has. Safe to
   * repeat; touches nothing of the repository's own. Answers with sentences about what it had to leave out.
   */
  equip(conversation: Conversation, equipment: Equipment): Promise<string[]>
  start(order: TurnOrder): Promise<RunningTurn>
  transcriptFiles(conversation: Conversation): Promise<TranscriptFile[]>
  /**
   * Puts a conversation on disk, so that the agent can go on from its last line: after a move, an unarchive, a fork.
   * Lines of another conversation become this one's.
   */
  writeTranscript(conversation: Conversation, lines: AsyncIterable<string>): Promise<WrittenTranscript>
  /** Whether a line of the main thread shows that the agent has taken up a prompt, and not only that it was started. */
  showsReceipt(line: string): boolean
  /** Whether a line tells of the conversation. What does not is bookkeeping of the agent's own and is not stored. */
  isWorthKeeping(line: string): boolean
  /**
   * What people are shown of a stored line: an entry by a user or an assistant with blocks of text, thought, tool call and
   * result. Undefined where there is nothing to show. A runtime whose lines are such entries does without.
   */
  readable?(line: string): unknown
  /** What a line of the transcript tells of a model call, if it tells of one. */
  usageOf(line: string): Usage | undefined
}

/** A vendor's program behind a runtime, as far as an operator has to look after it. */
export type AgentCli = {
  title: string
  command: string
  installInstructions: string
  authInstructions: string
  authMethod: 'oauth' | 'env_var'
  envVarName: string | null
  /** Judged by what is on this host: nobody is asked. */
  isAuthenticated(): Promise<boolean>
}

export type WrittenTranscript = { conversationId: string; path: string }
