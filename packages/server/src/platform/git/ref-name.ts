import { runGit } from './git.ts'
import { GitFailed } from './git-failed.ts'

/**
 * Rejects everything but a plain branch name: options, revision expressions (`main~3`, `@{-1}`, `HEAD`) and names git
 * cannot store. Callers still write the name as `refs/heads/<name>`, so that git never reads it as a commit id.
 *
 * @throws GitFailed of kind `refused`
 */
export async function checkRefName(name: string, signal?: AbortSignal): Promise<void> {
  if (!isPlausible(name)) refuse(name)
  // Common names are valid in every version of git. Asking git would cost a process per clone.
  if (isPlain(name)) return
  try {
    await runGit({
      operation: 'Checking the branch name',
      subcommand: 'check-ref-format',
      // This subcommand does not support `--`. The name does not start with a dash (checked above).
      options: ['--branch', name],
      timeoutMs: 10_000,
      signal,
    })
  } catch (error) {
    if (error instanceof GitFailed && error.reason.includes('not a valid branch name')) refuse(name)
    throw error
  }
}

/** Names that must not reach git: it would read an option, a revision, or (after NUL) a shorter name. */
function isPlausible(name: string): boolean {
  if (name === '' || name.length > refNameMaxLength) return false
  // `@` is a valid branch name, but everywhere else in git it means HEAD.
  if (name.startsWith('-') || name === '@' || name.includes('@{')) return false
  return !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(name)
}

function isPlain(name: string): boolean {
  return /^[a-z0-9_][a-z0-9_-]*(\/[a-z0-9_][a-z0-9_-]*)*$/i.test(name) && name !== 'HEAD'
}

/** A ref is stored as a file: at most 255 bytes per segment, including the suffix `.lock`. */
const refNameMaxLength = 250

function refuse(name: string): never {
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
  throw new GitFailed({
    operation: 'Checking the branch name',
    kind: 'refused',
    reason: `${shown} is not a branch name`,
  })
}
