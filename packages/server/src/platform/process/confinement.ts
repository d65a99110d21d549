import { mkdir, readFile } from 'node:fs/promises'
import { StartupError } from '../startup-error.ts'
import { bubblewrapArguments, deafToSigterm } from './confinement-bubblewrap.ts'
import { limitArguments, parseLimits } from './confinement-limits.ts'
import { confinementScript } from './confinement-script.ts'
import { type View, type ViewRequest, viewOf } from './confinement-view.ts'
import { findProgram } from './find-program.ts'
import type { Confine, Program, SpawnedProgram } from './program.ts'
import { runCommand } from './run-command.ts'
import { spawnFailure } from './spawn-failed.ts'

export const confinementModes = ['auto', 'required', 'strict', 'off'] as const
export type ConfinementMode = (typeof confinementModes)[number]

/** How this host confines the programs of agents. Decided once, at the start. */
export type Confinement = {
  mode: ConfinementMode
  mechanism: Mechanism
  /** What is in force, for the operator and for the log of a session. */
  sentence: string
  /** For programs that may write in these folders. */
  confine(writable: readonly string[]): Confine
}

type Mechanism = 'namespaces' | 'bubblewrap' | 'none'

type ConfinementOptions = {
  mode: ConfinementMode
  /** The folder that holds what is ours. Nothing in it is visible, except for what is named. */
  home: string
  /** An empty folder of ours. Created if it is missing. */
  stage: string
  /** Other paths that no agent may see, such as the folder of a socket. */
  hidden: readonly string[]
  /** Paths in hidden folders that every agent may read. */
  readable: readonly string[]
  /** Replaces the mechanisms to try, in tests. */
  mechanisms?: readonly Exclude<Mechanism, 'none'>[]
}

/**
 * Chooses the mechanism by trying it: whether a host allows namespaces depends on its kernel, its settings, and the
 * container around it.
 *
 * @throws StartupError if the mode requires confinement and the host cannot.
 */
export async function openConfinement(options: ConfinementOptions): Promise<Confinement> {
  const { mode } = options
  if (mode === 'off') return plain(mode, 'Agents are not confined (AGENT_CONFINEMENT=off).')
  await mkdir(options.stage, { recursive: true, mode: 0o700 })
  const reasons: string[] = []
  for (const mechanism of options.mechanisms ?? (['bubblewrap', 'namespaces'] as const)) {
    const tools = await findTools(mechanism, options)
    const wrap = typeof tools === 'string' ? tools : wrappers[mechanism](tools)
    const reason = typeof wrap === 'string' ? wrap : await reasonAgainst(wrap, options)
    if (typeof wrap !== 'string' && reason === undefined) return confinedBy(mechanism, wrap, options)
    reasons.push(`${mechanism}: ${reason}`)
  }
  const why = `this host cannot confine a process (${reasons.join('; ')})`
  if (mode === 'auto') return plain(mode, `Agents are not confined: ${why}.`)
  throw new StartupError(
    `AGENT_CONFINEMENT is ${mode}, but ${why}. Allow user namespaces, install bubblewrap, or set AGENT_CONFINEMENT=auto.`,
  )
}

function plain(mode: ConfinementMode, sentence: string): Confinement {
  return { mode, mechanism: 'none', sentence, confine: () => async (program) => program }
}

function confinedBy(mechanism: Mechanism, wrap: Wrap, options: ConfinementOptions): Confinement {
  const { mode } = options
  return {
    mode,
    mechanism,
    sentence: `Agents are confined by ${mechanism} (AGENT_CONFINEMENT=${mode}).`,
    confine: (writable) => async (program) => {
      const found = await findProgram({ command: program.command, path: program.env.PATH, cwd: program.cwd })
      if (found === undefined) throw await missing(program)
      const view = await viewOf(requestFor(options, writable))
      return { ...wrap({ ...program, command: found }, view), hasShellStatus: true }
    },
  }
}

function requestFor({ home, hidden, readable }: ConfinementOptions, writable: readonly string[]): ViewRequest {
  return { covers: [{ path: home, isWritable: false }], hidden, writable, readable, isReadOnly: false }
}

/** As the system reports it, for a program that is looked up before it is spawned. */
function missing({ command, cwd }: Program): Promise<Error> {
  return spawnFailure({ command, cwd, cause: Object.assign(new Error('no such program'), { code: 'ENOENT' }) })
}

type Wrap = (program: Program, view: View) => SpawnedProgram

type Tools = { stage: string; path: string; limits: readonly string[]; at(name: string): string }

const toolNames: Record<Exclude<Mechanism, 'none'>, readonly string[]> = {
  namespaces: ['unshare', 'setpriv', 'prlimit', 'mount'],
  bubblewrap: ['bwrap', 'prlimit', 'env'],
}

/** The tools by their paths, or the name of one that is missing. A program's own PATH never decides which one runs. */
async function findTools(mechanism: keyof typeof toolNames, { stage }: ConfinementOptions): Promise<Tools | string> {
  const path = [process.env.PATH, '/usr/sbin', '/usr/bin', '/sbin', '/bin'].filter(Boolean).join(':')
  const found = new Map<string, string>()
  for (const name of toolNames[mechanism]) {
    const program = await findProgram({ command: name, path })
    if (program === undefined) return `${name} is not installed`
    found.set(name, program)
  }
  const inForce = parseLimits(await readFile('/proc/self/limits', 'utf8').catch(() => ''))
  return { stage, path, limits: limitArguments(inForce), at: (name: string) => found.get(name) ?? name }
}

const wrappers: Record<keyof typeof toolNames, (tools: Tools) => Wrap> = {
  namespaces:
    ({ stage, path, limits, at }) =>
    (program, view) => {
      const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
      const isRoot = uid === 0
      // Root arranges the mounts itself. Another user is root in a namespace of its own for that, and then its own self
      // again in a second one, without privileges over the first.
      const back = isRoot ? [] : [at('unshare'), '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']
      const script = confinementScript({
        view,
        stage,
        cwd: program.cwd,
        runner: [at('prlimit'), ...limits, ...back, at('setpriv'), '--no-new-privs', '--'],
        toolPath: path,
        lingerMs: program.lingerMs ?? 0,
      })
      const args = [
        ...(isRoot ? [] : ['--user', '--map-root-user']),
        ...['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--'],
        ...['/bin/sh', '-c', script, 'sh', program.command, ...program.args],
      ]
      return { ...program, command: at('unshare'), args }
    },
  bubblewrap:
    ({ limits, at }) =>
    (program, view) => {
      const confined = bubblewrapArguments({ view, cwd: program.cwd, env: at('env'), lingerMs: program.lingerMs ?? 0 })
      const [command = '', ...args] = [
        ...deafToSigterm,
        ...[at('prlimit'), ...limits],
        ...[at('bwrap'), ...confined],
        ...[program.command, ...program.args],
      ]
      return { ...program, command, args }
    },
}

/** Runs a trivial program that checks its view. Undefined if that succeeds. */
async function reasonAgainst(wrap: Wrap, options: ConfinementOptions): Promise<string | undefined> {
  const view = await viewOf(requestFor(options, []))
  const program = {
    command: 'sh',
    args: ['-c', '[ ! -e "$1" ] && [ "$(echo /proc/[0-9]*)" != "" ] && echo confined', 'sh', options.stage],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
  }
  try {
    const { command, args, cwd, env } = wrap(program, view)
    const result = await runCommand({ command, args, cwd, env, timeoutMs: probeMs, maxOutputBytes: 64 * 1024 })
    if (result.code === 0 && result.stdout.trim() === 'confined') return undefined
    return result.stderr.trim().split('\n')[0] || `it ended with ${result.signal ?? `code ${result.code}`}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const probeMs = 10_000
