/** A program to start. */
export type Program = {
  command: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
  /** Time for the program's descendants after it has ended by itself, where they would end with it. Default 0. */
  lingerMs?: number
}

/** A program as it is spawned. */
export type SpawnedProgram = Program & {
  /** Whether a shell reports the end: a code above 128 is a signal. */
  hasShellStatus?: boolean
  /** Whether the kernel ends everything that the program started before the program's own end is reported. */
  endsWhole?: boolean
  /** The user that it runs as. Default: ours. Only root can choose another. */
  user?: { uid: number; gid: number }
}

/** Turns a program into what is spawned in its place. */
export type Confine = (program: Program) => Promise<SpawnedProgram>
