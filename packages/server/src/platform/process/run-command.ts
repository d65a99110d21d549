import type { Readable } from 'node:stream'
import { type BoundedBytes, boundedBytes } from './bounded-bytes.ts'
import { processTable } from './process-table.ts'
import { newRunMarker, partMarker, runMarkerVariable } from './run-marker.ts'
import { isSilent } from './silence.ts'
import { type ExitStatus, identifyStarted, type StartedGroup, spawnGroup } from './spawn-group.ts'
import { stopTree } from './stop.ts'
import { withoutCutEnd } from './utf8.ts'

export type CommandResult = {
  /** Both null if the command was aborted before it started, or could not be ended. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  timedOut: boolean
  aborted: boolean
  /** An output exceeded the limit. The command was stopped for it, unless `mayOverflow` is set. */
  outputTruncated: boolean
}

/**
 * Runs a short command to completion. On timeout, output overflow or abort, stops it with everything it has started.
 * Rejects only with `SpawnFailed`, if the command could not start; how it ended is in the result.
 */
export async function runCommand(options: {
  command: string
  args: readonly string[]
  cwd?: string
  env: Record<string, string>
  /** The user that it runs as. Default: ours. */
  user?: { uid: number; gid: number }
  timeoutMs: number
  /** For standard output and standard error each. */
  maxOutputBytes: number
  /** Drop output beyond the limit instead of stopping the command. */
  mayOverflow?: boolean
  /** The marker of the run that the command belongs to. Stopping the run stops the command as well. */
  partOf?: string
  input?: string
  signal?: AbortSignal
}): Promise<CommandResult> {
  const { command, args, cwd, user, input, maxOutputBytes, mayOverflow = false, partOf, signal } = options
  if (signal?.aborted) return resultOf({ code: null, signal: null }, 'aborted')

  const marker = partOf === undefined ? newRunMarker() : partMarker(partOf)
  const env = { ...options.env, [runMarkerVariable]: marker }
  const started = await spawnGroup({ command, args, cwd, env, user, stdin: input === undefined ? 'none' : 'pipe' })
  const cancellation = new AbortController()
  const cancel = (cause: Cause) => cancellation.abort(cause)
  const overflow = () => void (mayOverflow || cancel('outputTruncated'))
  const stdout = collect(started.stdout, maxOutputBytes, overflow)
  const stderr = collect(started.stderr, maxOutputBytes, overflow)
  started.stdin?.end(input)

  const abort = () => cancel('aborted')
  const timer = setTimeout(cancel, options.timeoutMs, 'timedOut')
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  try {
    const finished = started.exit.then(async (status) => {
      await Promise.all([stdout.finished(), stderr.finished()])
      return status
    })
    const status = (await Promise.race([finished, aborted(cancellation.signal)])) ?? (await end(started, marker))
    return resultOf(status, cancellation.signal.reason, stdout.bytes, stderr.bytes)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    started.stdout.destroy()
    started.stderr.destroy()
  }
}

type Cause = 'timedOut' | 'aborted' | 'outputTruncated'

/** Reads on beyond the limit: a full pipe would keep the command from exiting. */
function collect(pipe: Readable, maxBytes: number, onOverflow: () => void) {
  const bytes = boundedBytes(maxBytes)
  let wake = () => {}
  pipe.on('data', (chunk: Buffer) => {
    bytes.add(chunk)
    if (bytes.droppedBytes() > 0) onOverflow()
    wake()
  })
  // A broken pipe delivers no more data and closes.
  pipe.on('error', () => {})
  pipe.once('close', () => wake())
  return {
    bytes,
    /**
     * Call it after the command has ended. Resolves when the pipe has closed, or when processes that inherited it are
     * silent.
     */
    async finished() {
      while (!pipe.closed) {
        const activity = new Promise<void>((resolve) => {
          wake = resolve
        })
        if (await isSilent(activity, silenceMs)) return
      }
    },
  }
}

/**
 * Output of the command itself is there at once. This waits for daemons it left behind, such as git's credential cache.
 */
const silenceMs = 200

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

async function end(started: StartedGroup, marker: string): Promise<ExitStatus> {
  const identity = await identifyStarted(started, processTable())
  const { survivors } = await stopTree({ identity, marker, graceMs: cleanupGraceMs })
  const isStillRunning = survivors.some((one) => one.pid === identity?.pid)
  return isStillRunning ? { code: null, signal: null } : started.exit
}

/** On SIGTERM git removes its lock files and half-written packs. */
const cleanupGraceMs = 1_000

function resultOf(
  status: ExitStatus,
  cause: Cause | undefined,
  stdout?: BoundedBytes,
  stderr?: BoundedBytes,
): CommandResult {
  return {
    ...status,
    stdout: stdout ? textOf(stdout) : '',
    stderr: stderr ? textOf(stderr) : '',
    timedOut: cause === 'timedOut',
    aborted: cause === 'aborted',
    outputTruncated: [stdout, stderr].some((bytes) => bytes !== undefined && bytes.droppedBytes() > 0),
  }
}

/** Keeps NUL, which separates names in the output of `git -z`. */
function textOf(bytes: BoundedBytes): string {
  return (bytes.droppedBytes() > 0 ? withoutCutEnd(bytes.kept()) : bytes.kept()).toString('utf8')
}
