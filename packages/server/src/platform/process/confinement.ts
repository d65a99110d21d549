import { mkdir, readFile } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { SystemUser } from '../home/system-user.ts'
import { StartupError } from '../startup-error.ts'
import { bubblewrapArguments, deafToSigterm } from './confinement-bubblewrap.ts'
import { limitArguments, parseLimits } from './confinement-limits.ts'
import { confinementScript } from './confinement-script.ts'
import { barredFrom, type View, type ViewRequest, viewOf } from './confinement-view.ts'
import { findProgram } from './find-program.ts'
import { type AgentFolders, handOver } from './hand-over.ts'
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
  /** Whether agents run as root, which only the operator can decide: the machine itself is their sandbox. */
  isMachineTheSandbox: boolean
  confine(folders: AgentFolders): Confine
}

type Mechanism = 'namespaces' | 'bubblewrap' | 'none'

type ConfinementOptions = {
  mode: ConfinementMode
  /** The user that agents run as, if we are root. Undefined: our own user. */
  user?: SystemUser
  /** The folder that holds what is ours. Nothing in it is visible, except for what is named. */
  home: string
  /** An empty folder of ours. Created if it is missing. */
  stage: string
  /** Other paths that no agent may see, such as the folder of a socket. */
  hidden: readonly string[]
  /** Paths in hidden folders that every agent may read. */
  readable: readonly string[]
  /** Files that no agent may see, not even when they are replaced while it runs. */
  secrets?: readonly string[]
  /** The homes of users. Under `strict` they are hidden, except for what is readable. */
  userHomes?: readonly string[]
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
  if (mode === 'off') return plain(options, 'Agents are not confined (AGENT_CONFINEMENT=off).')
  await mkdir(options.stage, { recursive: true, mode: 0o700 })
  const reasons: string[] = []
  for (const mechanism of options.mechanisms ?? preferred()) {
    const tools = await findTools(mechanism, options)
    const wrap = typeof tools === 'string' ? tools : wrappers[mechanism](tools)
    const reason = typeof wrap === 'string' ? wrap : await reasonAgainst(wrap, options)
    if (typeof wrap !== 'string' && reason === undefined) return confinedBy(mechanism, wrap, options)
    reasons.push(`${mechanism}: ${reason}`)
  }
  const why = `this host cannot confine a process (${reasons.join('; ')})`
  if (mode === 'auto') return plain(options, `Agents are not confined: ${why}.`)
  throw new StartupError(
    `AGENT_CONFINEMENT is ${mode}, but ${why}. Allow user namespaces, install bubblewrap, or set AGENT_CONFINEMENT=auto.`,
  )
}

/** Root needs no bubblewrap, and with it could not change to another user. */
function preferred(): readonly Exclude<Mechanism, 'none'>[] {
  return process.geteuid?.() === 0 ? ['namespaces'] : ['bubblewrap', 'namespaces']
}

function plain(options: ConfinementOptions, sentence: string): Confinement {
  const { mode, user } = options
  return {
    ...{ mode, mechanism: 'none', sentence, isMachineTheSandbox: isMachineTheSandbox(user) },
    confine: (folders) => async (program) => {
      await handOver(folders, user)
      return user === undefined ? program : { ...program, env: envOf(program, options), user: idsOf(user) }
    },
  }
}

function confinedBy(mechanism: Mechanism, wrap: Wrap, options: ConfinementOptions): Confinement {
  const { mode, user } = options
  return {
    ...{ mode, mechanism, isMachineTheSandbox: isMachineTheSandbox(user) },
    sentence: `Agents are confined by ${mechanism} (AGENT_CONFINEMENT=${mode}).`,
    confine: (folders) => async (program) => {
      const found = await findProgram({ command: program.command, path: program.env.PATH, cwd: program.cwd })
      if (found === undefined) throw await missing(program)
      await handOver(folders, user)
      const request = requestFor(options, [folders.work, folders.home], [found, ...scriptOf(program)])
      const view = await viewOf({ ...request, covers: [...request.covers, ...(await barredFrom(request, user))] })
      const wrapped = wrap({ ...program, command: found, env: envOf(program, options) }, view)
      return { ...wrapped, hasShellStatus: true }
    },
  }
}

function isMachineTheSandbox(user: SystemUser | undefined): boolean {
  return user === undefined && process.geteuid?.() === 0
}

function idsOf({ uid, gid }: SystemUser): { uid: number; gid: number } {
  return { uid, gid }
}

function envOf({ env }: Program, { user, mode }: ConfinementOptions): Record<string, string> {
  return {
    ...env,
    ...(user && { USER: user.name, LOGNAME: user.name }),
    ...(mode === 'strict' && { TMPDIR: '/tmp' }),
  }
}

function requestFor(
  options: ConfinementOptions,
  writable: readonly string[],
  programs: readonly string[] = [],
): ViewRequest {
  const { mode, home, hidden, secrets = [], readable, userHomes = [] } = options
  const isStrict = mode === 'strict'
  return {
    covers: [
      { path: home, isWritable: false, isPrivate: true },
      ...(isStrict ? userHomes : []).map((path) => ({ path, isWritable: false, isPrivate: false })),
      ...(isStrict ? temporaryFolders : []).map((path) => ({ path, isWritable: true, isPrivate: false })),
    ],
    hidden,
    secrets,
    writable,
    readable: [...readable, ...programs.map(programFolder)],
    open: [...userHomes, ...temporaryFolders],
    isReadOnly: isStrict,
  }
}

/** Under `strict` an agent has its own, which end with it. */
const temporaryFolders = ['/tmp', '/var/tmp', '/dev/shm']

/** The script of an interpreter is its first argument. */
function scriptOf({ args: [first = ''] }: Program): string[] {
  return isAbsolute(first) ? [first] : []
}

/** A program from npm needs the packages beside it. Any other is one file. */
function programFolder(program: string): string {
  const place = program.indexOf('/node_modules/')
  return place < 0 ? program : program.slice(0, place + '/node_modules'.length)
}

/** As the system reports it, for a program that is looked up before it is spawned. */
function missing({ command, cwd }: Program): Promise<Error> {
  return spawnFailure({ command, cwd, cause: Object.assign(new Error('no such program'), { code: 'ENOENT' }) })
}

type Wrap = (program: Program, view: View) => SpawnedProgram

type Tools = {
  stage: string
  user: SystemUser | undefined
  path: string
  limits: readonly string[]
  at(name: string): string
}

const toolNames: Record<Exclude<Mechanism, 'none'>, readonly string[]> = {
  namespaces: ['unshare', 'setpriv', 'prlimit', 'mount'],
  bubblewrap: ['bwrap', 'prlimit', 'env'],
}

/** The tools by their paths, or the name of one that is missing. A program's own PATH never decides which one runs. */
async function findTools(
  mechanism: keyof typeof toolNames,
  { stage, user }: ConfinementOptions,
): Promise<Tools | string> {
  const path = [process.env.PATH, '/usr/sbin', '/usr/bin', '/sbin', '/bin'].filter(Boolean).join(':')
  const found = new Map<string, string>()
  for (const name of toolNames[mechanism]) {
    const program = await findProgram({ command: name, path })
    if (program === undefined) return `${name} is not installed`
    found.set(name, program)
  }
  const inForce = parseLimits(await readFile('/proc/self/limits', 'utf8').catch(() => ''))
  return { stage, user, path, limits: limitArguments(inForce), at: (name: string) => found.get(name) ?? name }
}

const wrappers: Record<keyof typeof toolNames, (tools: Tools) => Wrap> = {
  namespaces:
    ({ stage, user, path, limits, at }) =>
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
        runner: [at('prlimit'), ...limits, ...back, at('setpriv'), ...privileges(user), '--no-new-privs', '--'],
        toolPath: path,
        lingerMs: program.lingerMs ?? 0,
      })
      const args = [
        ...(isRoot ? [] : ['--user', '--map-root-user']),
        ...['--mount', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc', '--'],
        ...['/bin/sh', '-c', script, 'sh', program.command, ...program.args],
      ]
      // `unshare` reports the end of process 1 of the pid namespace, and the kernel ends the others before that.
      return { ...program, command: at('unshare'), args, endsWhole: true }
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

function privileges(user: SystemUser | undefined): string[] {
  if (user === undefined) return []
  return [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--bounding-set=-all', '--inh-caps=-all']
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
