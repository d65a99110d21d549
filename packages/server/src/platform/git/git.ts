import { dirname } from 'node:path'
import { childEnvironment } from '../process/environment.ts'
import { runCommand } from '../process/run-command.ts'
import { SpawnFailed } from '../process/spawn-failed.ts'
import { GitFailed, readFailure } from './git-failed.ts'

/** What one call of git may access. See remote-access.ts for calls that reach another machine. */
export type GitAccess = {
  /** The only transports git may use: `https`, `ssh`, `file`, ... */
  transports: readonly string[]
  /** Whether git reads the system configuration and that of the user we run as. */
  usesOperatorConfig: boolean
  /** Further `-c` settings. The process list shows them: no secrets. */
  settings?: readonly string[]
  environment?: Record<string, string>
  /** Values to mask in a failure. */
  secrets?: readonly string[]
}

export const noAccess: GitAccess = { transports: [], usesOperatorConfig: false }
/** Between two folders of our own. */
export const ownDiskAccess: GitAccess = { transports: ['file'], usesOperatorConfig: false }

export type GitCall = {
  /** The start of a sentence for people, such as "Fetching https://forge.example/acme/web.git". */
  operation: string
  subcommand: string
  options?: readonly string[]
  /** Untrusted values go here: they follow `--end-of-options`. */
  operands?: readonly string[]
  /** The folder of the repository. git looks for `.git` in it and not in its parents. */
  cwd?: string
  /** The git folder itself, instead of `cwd`. */
  gitDir?: string
  /** The files that belong to `gitDir`; none if it is bare. */
  workTree?: string | undefined
  access?: GitAccess
  /** Whether an error counts that git recovered from, such as a broken pack whose objects it found elsewhere. */
  isStrict?: boolean
  timeoutMs: number
  maxOutputBytes?: number
  signal?: AbortSignal
}

/**
 * The only place that runs git. Repositories are hostile: nothing in them may make git run a program. Returns what git
 * printed. Throws GitFailed, or the reason of the signal if that was aborted.
 *
 * Not promised: safety with the git folder of a clone that an agent has had. Settings given here override its
 * configuration, but filters and diff drivers have names we cannot foresee. agent-clone.ts asks about such a clone.
 */
export async function runGit(call: GitCall): Promise<string> {
  const access = call.access ?? noAccess
  call.signal?.throwIfAborted()
  const result = await run(call, access)
  // A timeout or an abort counts only if git did not succeed anyway.
  const isFine = result.code === 0 && !(call.isStrict === true && /^error: /m.test(result.stderr))
  if (isFine && !result.outputTruncated) return result.stdout
  call.signal?.throwIfAborted()
  if (result.timedOut) throw failed(call, 'timeout', `it took longer than ${call.timeoutMs / 1000} s`)
  if (result.outputTruncated)
    throw failed(call, 'unknown', `git printed more than ${(call.maxOutputBytes ?? outputMaxBytes) / 1024} KiB`)
  const failure = readFailure(result.stderr, access.secrets ?? [])
  throw failed(call, failure.kind, failure.reason)
}

async function run(call: GitCall, access: GitAccess) {
  try {
    return await runCommand({
      command: 'git',
      args: gitArguments(call, access),
      cwd: call.cwd ?? call.workTree ?? '/',
      env: gitEnvironment(call, access),
      timeoutMs: call.timeoutMs,
      maxOutputBytes: call.maxOutputBytes ?? outputMaxBytes,
      signal: call.signal,
    })
  } catch (error) {
    if (!(error instanceof SpawnFailed)) throw error
    const isMissing = error.code === 'ENOENT' && call.cwd === undefined
    throw failed(call, isMissing ? 'git_missing' : 'unknown', isMissing ? 'git is not installed' : error.message)
  }
}

/** We ask for ref names and single values. The longest output is the greeting of a forge. */
const outputMaxBytes = 1024 * 1024

function gitArguments(call: GitCall, access: GitAccess): string[] {
  const settings = [...fixedSettings, ...(access.settings ?? [])]
  return [
    ...(call.gitDir === undefined ? [] : [`--git-dir=${call.gitDir}`]),
    ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
    ...settings.flatMap((setting) => ['-c', setting]),
    call.subcommand,
    ...(call.options ?? []),
    // Not `--`, which some subcommands read as "paths follow".
    ...(call.operands === undefined ? [] : ['--end-of-options', ...call.operands]),
  ]
}

/** These override every configuration file, of the repository and of the operator. */
const fixedSettings = [
  // As root we work with clones that belong to the user of the agents.
  'safe.directory=*',
  // Hooks and the file system monitor are programs that git starts on its own in a repository.
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  // A submodule is a second address, which we have not checked.
  'submodule.recurse=false',
  // A bundle URI that the server recommends is another unchecked address.
  'transfer.bundleURI=false',
  // Automatic maintenance would run in the background without a deadline. mirrors.ts repacks under its lock.
  'gc.auto=0',
  'maintenance.auto=false',
]

function gitEnvironment(call: GitCall, access: GitAccess): Record<string, string> {
  return childEnvironment({
    pass: access.usesOperatorConfig ? operatorVariables : [],
    set: {
      ...fixedEnvironment,
      // Overrides every `protocol.*.allow` setting and, unlike `-c`, also applies to programs that git starts in
      // another repository.
      GIT_ALLOW_PROTOCOL: access.transports.join(':'),
      // If `.git` is missing, git would search the parents and find a repository that contains our home.
      ...(call.cwd === undefined ? {} : { GIT_CEILING_DIRECTORIES: dirname(call.cwd) }),
      ...(access.usesOperatorConfig ? {} : noOperatorConfig),
      ...access.environment,
    },
  })
}

const fixedEnvironment = {
  // We parse the messages of git.
  LC_ALL: 'C',
  // Never prompt. An empty GIT_ASKPASS keeps git from looking for a program that opens a window.
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  // A partial clone names in its own configuration where and how to fetch missing objects. git follows that from
  // another repository only before 2.39.4.
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LFS_SKIP_SMUDGE: '1',
}

/**
 * Without configuration no filter has a program, whatever `.gitattributes` names. The cost: a clone holds the pointers
 * of Git LFS and not the files, which `git lfs pull` fetches.
 */
const noOperatorConfig = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  // For git before 2.32, which does not know the variable above.
  HOME: '/dev/null',
}

/** The operator's access to private repositories: configuration, keys, credential helpers and what those need. */
const operatorVariables = [
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSL_CAINFO',
  'SSH_AUTH_SOCK',
  'ALL_PROXY',
  'all_proxy',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'GNUPGHOME',
  'GH_TOKEN',
  'GITHUB_TOKEN',
]

function failed(call: GitCall, kind: GitFailed['kind'], reason: string): GitFailed {
  return new GitFailed({ operation: call.operation, kind, reason })
}
