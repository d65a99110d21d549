import type { Readable } from 'node:stream'
import { type BoundedBytes, boundedBytes } from './bounded-bytes.ts'
import { processTable } from './process-table.ts'
import { newRunMarker, partMarker, runMarkerVariable } from './run-marker.ts'
import { isSilent } from './silence.ts'
import { type ExitStatus, identifyStarted, type StartedGroup, spawnGroup } from './spawn-group.ts'
import { stopTree } from './stop.ts'
import { withoutCutEnd } from './utf8.ts'

export type CommandResult = {
  /** Both null if it was never started because of the signal, or could not be ended. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  timedOut: boolean
  aborted: boolean
  /** One of the two outputs passed the limit; the command was ended for it, unless it may. */
  outputTruncated: boolean
}

/**
 * Runs a short command to its end. When it takes too long, says too much or is no longer wanted, it is ended with
 * all it has started. Rejects with `SpawnFailed`, and only if it could not start: how it ended is in the result.
 */
export async function runCommand(options: {
  command: string
  args: readonly string[]
  cwd?: string
  env: Record<string, string>
  timeoutMs: number
  /** For standard output and standard error each. */
  maxOutputBytes: number
  /** What passes the limit is dropped, and the command goes on. */
  mayOverflow?: boolean
  /** The marker of a run that it belongs to: it is found with it, and ended with it. */
  partOf?: string
  input?: string
  signal?: AbortSignal
}): Promise<CommandResult> {
  const { command, args, cwd, input, maxOutputBytes, mayOverflow = false, partOf, signal } = options
  if (signal?.aborted) return resultOf({ code: null, signal: null }, 'aborted')

  const marker = partOf === undefined ? newRunMarker() : partMarker(partOf)
  const env = { ...options.env, [runMarkerVariable]: marker }
  const started = await spawnGroup({ command, args, cwd, env, stdin: input === undefined ? 'none' : 'pipe' })
  const cutShort = new AbortController()
  const cut = (cause: Cause) => cutShort.abort(cause)
  const overflow = () => void (mayOverflow || cut('outputTruncated'))
  const stdout = collect(started.stdout, maxOutputBytes, overflow)
  const stderr = collect(started.stderr, maxOutputBytes, overflow)
  started.stdin?.end(input)

  const abort = () => cut('aborted')
  const timer = setTimeout(cut, options.timeoutMs, 'timedOut')
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  try {
    const finished = started.exit.then(async (status) => {
      await Promise.all([stdout.finished(), stderr.finished()])
      return status
    })
    const status = (await Promise.race([finished, aborted(cutShort.signal)])) ?? (await end(started, marker))
    return resultOf(status, cutShort.signal.reason, stdout.bytes, stderr.bytes)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    started.stdout.destroy()
    started.stderr.destroy()
  }
}

type Cause = 'timedOut' | 'aborted' | 'outputTruncated'

/** Goes on reading beyond the limit, so that the command is not held back from ending. */
function collect(pipe: Readable, maxBytes: number, onPassed: () => void) {
  const bytes = boundedBytes(maxBytes)
  let wake = () => {}
  pipe.on('data', (chunk: Buffer) => {
    bytes.add(chunk)
    if (bytes.droppedBytes() > 0) onPassed()
    wake()
  })
  // A pipe that breaks has nothing more to say, and closes.
  pipe.on('error', () => {})
  pipe.once('close', () => wake())
  return {
    bytes,
    /** Once the command has ended: the pipe has closed, or those who inherited it keep silent. */
    async finished() {
      while (!pipe.closed) {
        const stirred = new Promise<void>((resolve) => {
          wake = resolve
        })
        if (await isSilent(stirred, silenceMs)) return
      }
    },
  }
}

/** What the command wrote is there at once; this is for daemons it left behind (git's credential cache is one). */
const silenceMs = 200

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

async function end(started: StartedGroup, marker: string): Promise<ExitStatus> {
  const identity = await identifyStarted(started, processTable())
  const { survivors } = await stopTree({ identity, marker, graceMs: tidyUpMs })
  const hasSurvived = survivors.some((one) => one.pid === identity?.pid)
  return hasSurvived ? { code: null, signal: null } : started.exit
}

/** On SIGTERM git removes its lock files and half-written packs. */
const tidyUpMs = 1_000

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

/** NUL stays: it is what separates names in the output of `git -z`. */
function textOf(bytes: BoundedBytes): string {
  return (bytes.droppedBytes() > 0 ? withoutCutEnd(bytes.kept()) : bytes.kept()).toString('utf8')
}
