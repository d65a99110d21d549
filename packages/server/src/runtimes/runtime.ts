import type { ProcessIdentity } from '../platform/process/process-table.ts'
import type { Confine } from '../platform/process/program.ts'
import type { AccountSignal, ServedLogin, VendorAccounts } from './accounts/vendor-accounts.ts'
import type { Equipment } from './equipment.ts'
import type { Ask } from './question.ts'
import type { Usage } from './usage.ts'

export type RuntimeModel = {
  id: string
  label: string
  default: boolean
  requires_oauth: boolean
}

/** A command of the agent's program, by its name without the slash. */
export type RuntimeCommand = { name: string; description: string }

/** One session's conversation on this host. */
export type Conversation = {
  /** The runtime's id for it. Undefined before the first turn if the agent chooses the id. */
  id: string | undefined
  /** This session's private folder for the runtime's configuration and files. */
  home: string
  workingDirectory: string
}

export type TurnOrder = {
  conversation: Conversation
  /** Text for the model, which gets it as it is, even if it begins with a slash. */
  prompt: string
  /** The caller asks for a command of the agent's program: the program interprets the prompt and answers by itself. */
  isCommand?: boolean
  /** The agent can only answer: it gets none of the tools of its program, and the equipment has none. */
  hasNoTools?: boolean
  model: string
  /** The size of the context, in tokens, at which the agent summarises what came before. Absent: its own limit. */
  compactWindow?: number
  /** The agent gets all tools of its MCP servers at once. Absent: it may search for those that it needs, if it can. */
  hasAllToolsAtOnce?: boolean
  equipment: Equipment
  /** In the environment of every process of the turn, so that a sweep finds them all. */
  marker: string
  /** In the environment of the agent as `TRACEPARENT`, so that one which traces itself continues the trace. */
  traceparent?: string | null
  /** The vendor account that serves the turn. Absent: the keys and logins of this host. */
  login?: ServedLogin
  /** The stored key of a runtime without accounts. */
  providerKey?: string
  /** Every program of the turn runs through it: it decides what the program sees of this host. */
  confine: Confine
  /** Whether the agent runs as root because the operator says that the machine itself is its sandbox. */
  isMachineTheSandbox?: boolean
  /**
   * Called once, after the agent's process has started and before it gets its prompt, so that a crash in between leaves an
   * agent that has done nothing. If it rejects, the runtime stops the process and sends no prompt.
   */
  onUp(identity: ProcessIdentity): Promise<void>
  /** Called by a runtime whose agent chooses the conversation id: before it sends the prompt if the protocol allows. */
  onNamed(conversationId: string): Promise<void>
  /** Called on every sign of activity; the transcript may have grown. */
  onActivity(): void
  /**
   * The agent asks a person for permissions and answers. Absent: no person is asked. The agent then has every permission, and
   * its questions are declined.
   */
  ask?: Ask
  /** Writes a sentence to the session's log, such as that the agent retries a call to the model. */
  onNotice(sentence: string): void
  /** An MCP server of the equipment asks for a sign-in. */
  onUnauthorized?(serverName: string): void
}

/** How a turn ended, decided by the runtime's protocol and never by the exit code alone. */
export type TurnEnd =
  | { kind: 'completed' }
  | { kind: 'interrupted' }
  /** `signal`: what the failure says about the account that served the turn. */
  | { kind: 'failed'; reason: TurnFailureReason; detail: string; signal?: AccountSignal }

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
  /** Interrupts by protocol, then SIGTERM, then SIGKILL, then a sweep. Idempotent; `ended` settles afterwards. */
  interrupt(): Promise<void>
}

/** A transcript file: the main conversation's or one subagent's. */
export type TranscriptFile = { thread: string; path: string; subagent?: SubagentFacts }
export const mainThread = 'main'
/** Far above any conversation that an agent can resume. A sparse file can claim any size. */
export const maxTranscriptBytes = 2 ** 30

/** What the runtime reports about a subagent beside its transcript. */
export type SubagentFacts = {
  subagent_type: string | null
  description: string | null
  /** The parent's tool call that started it. */
  tool_use_id: string | null
}

/**
 * The interface to one kind of coding agent. A runtime knows processes and files, not tables. An agent writes a prompt to its
 * transcript before it acts on it; recovery relies on that to decide whether the agent received the prompt.
 */
export type Runtime = {
  name: string
  /** Set if the operator has to install the agent's program and sign it in. */
  cli?: AgentCli
  /** Set if the vendor's accounts can serve its sessions in turn. */
  accounts?: VendorAccounts
  /** The variable in which a runtime without accounts takes a stored key. */
  providerKeyVariable?: string
  /** Set if the agent's program has commands of its own, which begin with a slash: those that are known before it runs. */
  commands?: readonly RuntimeCommand[]
  /** Whether the agent's program can be told at which size of its context to summarise what came before. */
  takesCompactWindow?: boolean
  /** Whether one usage is that of all model calls of a turn, and not of one. */
  reportsWholeTurns?: boolean
  models(): readonly RuntimeModel[]
  /** Undefined if the agent chooses the id. */
  newConversationId(): string | undefined
  /**
   * Installs the session's equipment where the agent looks for it and removes what the session no longer has. Idempotent;
   * changes nothing in the repository. Returns a sentence for each item that it left out.
   */
  equip(conversation: Conversation, equipment: Equipment): Promise<string[]>
  start(order: TurnOrder): Promise<RunningTurn>
  /**
   * Removes the keys and other secrets that a turn needed from the session's home. Called when no process of the session
   * runs: after each turn, and at start-up for turns that a crash ended. Idempotent.
   */
  removeSecrets?(home: string): Promise<void>
  /**
   * The files that exist. Leaves out a main file from which the agent does not resume: what was read of it would shift the
   * read position of the file that replaces it.
   *
   * @throws UntrustedFile if a folder on the way is a link or no folder.
   */
  transcriptFiles(conversation: Conversation): Promise<TranscriptFile[]>
  /**
   * Writes a transcript from which the agent can resume: after a move, an unarchive or a fork. Rewrites the lines of another
   * conversation to be this one's. Replaces what is at the file's path, even a pipe or a link.
   */
  writeTranscript(conversation: Conversation, lines: AsyncIterable<string>): Promise<WrittenTranscript>
  /** Whether a line of the main thread proves that the agent received a prompt, not only that it started. */
  showsReceipt(line: string): boolean
  /** Whether a line belongs to the conversation. The agent's internal bookkeeping is not stored. */
  isWorthKeeping(line: string): boolean
  /**
   * Converts a stored line to what people see: a user or assistant entry with text, thinking, tool call and result blocks.
   * Undefined if there is nothing to show. Not needed by a runtime whose lines already have that shape.
   */
  readable?(line: string): unknown
  /** The usage that a transcript line reports, if it reports any. */
  usageOf(line: string): Usage | undefined
}

/** What an operator has to know about the vendor's program behind a runtime. */
export type AgentCli = {
  title: string
  command: string
  /** Whether `--version` prints the version of the agent. Default true. */
  hasVersion?: boolean
  installInstructions: string
  authInstructions: string
  authMethod: 'oauth' | 'env_var'
  envVarName: string | null
  /** Decided from this host's files and variables; no vendor is called. */
  isAuthenticated(): Promise<boolean>
}

export type WrittenTranscript = { conversationId: string; path: string }
