import { dirname } from 'node:path'
import { childEnvironment } from '../process/environment.ts'
import { runCommand } from '../process/run-command.ts'
import { SpawnFailed } from '../process/spawn-failed.ts'
import { GitFailed, readFailure } from './git-failed.ts'

/** How far one call of git may reach. See remote-access.ts for how one to another machine is made. */
export type GitAccess = {
  /** The only transports git may use: `https`, `ssh`, `file`, ... */
  transports: readonly string[]
  /** Whether the configuration of the machine and of the user we run as counts. */
  usesOperatorConfig: boolean
  /** Further `-c` settings. They show in the list of processes: no secrets. */
  settings?: readonly string[]
  environment?: Record<string, string>
  /** Values that must not appear in a failure. */
  secrets?: readonly string[]
}

export const noAccess: GitAccess = { transports: [], usesOperatorConfig: false }
/** Between two folders of our own. */
export const ownDiskAccess: GitAccess = { transports: ['file'], usesOperatorConfig: false }

export type GitCall = {
  /** The beginning of a sentence for people, such as "Fetching https://forge.example/acme/web.git". */
  operation: string
  subcommand: string
  options?: readonly string[]
  /** What may come from outside: everything here stands behind `--end-of-options`. */
  operands?: readonly string[]
  /** The repository's folder, searched for `.git` and no further up. */
  cwd?: string
  /** A bare repository, instead of `cwd`. */
  gitDir?: string
  access?: GitAccess
  /** Whether an error that git got over by itself counts: a broken pack whose objects it found elsewhere. */
  isStrict?: boolean
  timeoutMs: number
  signal?: AbortSignal
}

/**
 * Runs git, and is the only place that does. Repositories are hostile: nothing they carry may make git run a program.
 * Gives what git printed; everything else is thrown as GitFailed, or as the signal's reason when that was aborted.
 *
 * Not promised: safety inside a clone whose `.git/config` an agent has had in its hands. Settings given here outrank
 * that file, but filters and diff drivers have names we cannot foresee; ask there only for what reads no working tree.
 */
export async function runGit(call: GitCall): Promise<string> {
  const access = call.access ?? noAccess
  call.signal?.throwIfAborted()
  const result = await run(call, access)
  // Too late or no longer wanted counts only if it kept git from ending well.
  const isFine = result.code === 0 && !(call.isStrict === true && /^error: /m.test(result.stderr))
  if (isFine && !result.outputTruncated) return result.stdout
  call.signal?.throwIfAborted()
  if (result.timedOut) throw failed(call, 'timeout', `it took longer than ${call.timeoutMs / 1000} s`)
  if (result.outputTruncated) throw failed(call, 'unknown', 'git printed more than we are willing to read')
  const failure = readFailure(result.stderr, access.secrets ?? [])
  throw failed(call, failure.kind, failure.reason)
}

async function run(call: GitCall, access: GitAccess) {
  try {
    return await runCommand({
      command: 'git',
      args: gitArguments(call, access),
      cwd: call.cwd ?? '/',
      env: gitEnvironment(call, access),
      timeoutMs: call.timeoutMs,
      maxOutputBytes: outputMaxBytes,
      signal: call.signal,
    })
  } catch (error) {
    if (!(error instanceof SpawnFailed)) throw error
    const isMissing = error.code === 'ENOENT' && call.cwd === undefined
    throw failed(call, isMissing ? 'git_missing' : 'unknown', isMissing ? 'git is not installed' : error.message)
  }
}

/** We ask for names of refs and single values; a forge's greeting is the longest thing that arrives. */
const outputMaxBytes = 1024 * 1024

function gitArguments(call: GitCall, access: GitAccess): string[] {
  const settings = [...fixedSettings, ...(access.settings ?? [])]
  return [
    ...(call.gitDir === undefined ? [] : [`--git-dir=${call.gitDir}`]),
    ...settings.flatMap((setting) => ['-c', setting]),
    call.subcommand,
    ...(call.options ?? []),
    // Not `--`: to some subcommands that means "paths follow".
    ...(call.operands === undefined ? [] : ['--end-of-options', ...call.operands]),
  ]
}

/** These outrank every configuration file, that of the repository and that of the operator. */
const fixedSettings = [
  // Hooks and the file system monitor are the two programs that git starts by itself in a repository.
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  // A submodule is a second address that nobody has checked.
  'submodule.recurse=false',
  // So is a bundle that the other side recommends.
  'transfer.bundleURI=false',
  // Would run behind our back, with no deadline; mirrors.ts tidies while it holds the lock.
  'gc.auto=0',
  'maintenance.auto=false',
]

function gitEnvironment(call: GitCall, access: GitAccess): Record<string, string> {
  return childEnvironment({
    pass: access.usesOperatorConfig ? operatorVariables : [],
    set: {
      ...fixedEnvironment,
      // Rather than protocol.*.allow: this outranks them, whoever wrote them, and reaches the programs git starts in
      // another repository, which `-c` does not.
      GIT_ALLOW_PROTOCOL: access.transports.join(':'),
      // Should `.git` be gone, git would go up and find the repository that our home happens to lie in.
      ...(call.cwd === undefined ? {} : { GIT_CEILING_DIRECTORIES: dirname(call.cwd) }),
      ...(access.usesOperatorConfig ? {} : noOperatorConfig),
      ...access.environment,
    },
  })
}

const fixedEnvironment = {
  // We read git's messages.
  LC_ALL: 'C',
  // Nobody is there to answer. An empty GIT_ASKPASS ends the search for a program that asks in a window.
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GCM_INTERACTIVE: 'never',
  // A source that is a partial clone names, in its own configuration, where and how to fetch what it lacks. Since
  // 2.39.4 git does not follow that from here by itself.
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LFS_SKIP_SMUDGE: '1',
}

/**
 * Without any configuration no filter has a program, so `.gitattributes` can name as many as it likes. The price: a
 * clone holds the pointers of Git LFS, not the files; `git lfs pull` fetches them.
 */
const noOperatorConfig = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  // For a git older than 2.32, which does not know the variable above.
  HOME: '/dev/null',
}

/** Where the operator keeps what opens private repositories: configuration, keys, helpers and what those look for. */
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
