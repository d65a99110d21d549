import { runGit } from './git.ts'
import { GitFailed } from './git-failed.ts'

/**
 * Refuses whatever is not the plain name of a branch: options, revision expressions (`main~3`, `@{-1}`, `HEAD`), names
 * that git could not store. Whoever uses the name still writes it as `refs/heads/<name>`, so that a name which looks
 * like a commit id is never taken for one.
 *
 * @throws GitFailed of kind `refused`
 */
export async function checkRefName(name: string, signal?: AbortSignal): Promise<void> {
  if (!isPlausible(name)) refuse(name)
  // The usual ones break no rule of git's that there ever was; asking it takes a process for each clone.
  if (isPlain(name)) return
  try {
    await runGit({
      operation: 'Checking the branch name',
      subcommand: 'check-ref-format',
      // This subcommand knows no `--`. The name is known not to begin with a dash.
      options: ['--branch', name],
      timeoutMs: 10_000,
      signal,
    })
  } catch (error) {
    if (error instanceof GitFailed && error.reason.includes('not a valid branch name')) refuse(name)
    throw error
  }
}

/** What git must not even see: it would read an option, a revision, or (NUL) a shorter name. */
function isPlausible(name: string): boolean {
  if (name === '' || name.length > refNameMaxLength) return false
  // A branch may be called `@`, but everywhere else in git that means HEAD.
  if (name.startsWith('-') || name === '@' || name.includes('@{')) return false
  return !/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(name)
}

function isPlain(name: string): boolean {
  return /^[a-z0-9_][a-z0-9_-]*(\/[a-z0-9_][a-z0-9_-]*)*$/i.test(name) && name !== 'HEAD'
}

/** A ref becomes a file name, of at most 255 bytes a segment, with `.lock` behind it. */
const refNameMaxLength = 250

function refuse(name: string): never {
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
  throw new GitFailed({
    operation: 'Checking the branch name',
    kind: 'refused',
    reason: `${shown} is not a branch name`,
  })
}
