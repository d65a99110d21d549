/** The system reuses pids. Pid and start time together name one process for good, across reboots too. */
export type ProcessIdentity = { pid: number; startTime: string }

/** A process that carries a run marker in its own environment. */
export type MarkedProcess = { identity: ProcessIdentity; marker: string; home: string; command: string }

export interface ProcessTable {
  /** Undefined when no such process runs. A zombie no longer runs. */
  identify(pid: number): Promise<ProcessIdentity | undefined>
  isRunning(identity: ProcessIdentity): Promise<boolean>
  /**
   * The processes of our own user that carry the run marker in their environment, and their descendants, which may have
   * cleared it. Never includes this process. A descendant without the marker can no longer be found once its parent has
   * ended. If `first`, the first process of the run, is given, older processes are skipped.
   */
  findMarked(marker: string, first?: ProcessIdentity): Promise<ProcessIdentity[]>
  /** All processes within our reach that carry any run marker. They may belong to another Yardmaster of this machine. */
  listMarked(): Promise<MarkedProcess[]>
}
