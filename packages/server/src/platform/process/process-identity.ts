/** A pid alone is soon somebody else's. With the time it started it names one process for good, over reboots too. */
export type ProcessIdentity = { pid: number; startTime: string }

export interface ProcessTable {
  /** Undefined when no such process runs. A zombie no longer runs. */
  identify(pid: number): Promise<ProcessIdentity | undefined>
  isRunning(identity: ProcessIdentity): Promise<boolean>
  /**
   * The processes of our own user that carry the run marker in their environment, and their descendants, who may
   * have cleared it. Never ourselves. A descendant without the marker is lost from sight once its parent is gone.
   * Where the first process of the run is known, whoever is older than it need not be looked into.
   */
  findMarked(marker: string, first?: ProcessIdentity): Promise<ProcessIdentity[]>
}
