import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { errnoOf } from './process/errno.ts'

export type PathProblem = 'malformed' | 'outside' | 'missing' | 'not_a_directory'

/** A path that someone gave us and that we will not follow. The message is one sentence and names only what they gave. */
export class PathRefused extends Error {
  override readonly name = 'PathRefused'
  readonly problem: PathProblem

  constructor(problem: PathProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/**
 * The real path of something inside `root`, given by a relative path that we do not trust. Links are followed first and
 * judged by where they lead: one that stays inside is fine.
 *
 * Not promised: that the path is still the same a moment later. Whoever can write inside the root can swap a folder for
 * a link, so use the answer, not the question, and use it soon.
 */
export async function resolveInside(
  root: string,
  given: string,
  options: { mustBeDirectory?: boolean } = {},
): Promise<string> {
  checkShape(given)
  const realRoot = await realpath(root)
  const found = await follow(join(realRoot, given), given)
  if (!isInside(realRoot, found)) throw new PathRefused('outside', `The path ${shown(given)} leads outside its folder`)
  if (options.mustBeDirectory === true && !(await stat(found)).isDirectory()) {
    throw new PathRefused('not_a_directory', `The path ${shown(given)} is not a directory`)
  }
  return found
}

/** Both paths must be real ones. The root counts as inside itself. */
export function isInside(realRoot: string, realTarget: string): boolean {
  const way = relative(realRoot, realTarget)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function checkShape(given: string): void {
  if (given.includes('\0')) throw new PathRefused('malformed', `The path ${shown(given)} contains a NUL character`)
  if (isAbsolute(given)) throw new PathRefused('outside', `The path ${shown(given)} must be relative`)
  // Also where it would stay inside: `link/..` means one thing to us and another to the kernel.
  if (given.split(/[/\\]/).includes('..'))
    throw new PathRefused('outside', `The path ${shown(given)} must not contain ".."`)
}

async function follow(path: string, given: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!meansMissing.has(errnoOf(error))) throw error
    throw new PathRefused('missing', `The path ${shown(given)} does not exist`)
  }
}

const meansMissing = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** Quoted and escaped, so that it stays on one line of a log, and short. */
function shown(given: string): string {
  return JSON.stringify(given.length > 200 ? `${given.slice(0, 200)}…` : given)
}
