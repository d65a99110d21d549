import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { errnoOf } from './process/errno.ts'

export type PathProblem = 'malformed' | 'outside' | 'missing' | 'not_a_directory'

/** An untrusted path that we do not follow. The message is one sentence and names only the given path. */
export class PathRefused extends Error {
  override readonly name = 'PathRefused'
  readonly problem: PathProblem

  constructor(problem: PathProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/**
 * The real path of an untrusted relative path inside `root`. Resolves links first: a link that stays inside is
 * accepted.
 *
 * Not promised: that the path stays the same. A process that can write inside the root can replace a folder with a
 * link, so use the returned path, and soon.
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

/** Both must be real paths. The root counts as inside itself. */
export function isInside(realRoot: string, realTarget: string): boolean {
  const way = relative(realRoot, realTarget)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function checkShape(given: string): void {
  if (given.includes('\0')) throw new PathRefused('malformed', `The path ${shown(given)} contains a NUL character`)
  if (isAbsolute(given)) throw new PathRefused('outside', `The path ${shown(given)} must be relative`)
  // Even if it stays inside: `link/..` is one folder textually and another to the kernel.
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

/** Quoted, escaped and shortened, to fit on one line of a log. */
function shown(given: string): string {
  return JSON.stringify(given.length > 200 ? `${given.slice(0, 200)}…` : given)
}
