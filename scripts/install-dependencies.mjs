import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { announce } from './announce.mjs'
import { Interrupted, PrepareError } from './prepare-error.mjs'
import { runChild } from './run-child.mjs'

// npm prints the error first and the path of its log last, with pages of usage between.
const shownLines = { first: 12, last: 6 }

// npm completes its current step after SIGTERM. The next run repeats an install that was cut off.
const stopGraceMs = 3_000

/**
 * Whether node_modules matches the lock file. Our installs leave a stamp. An install without one, by hand, is compared
 * with npm's own record and stamped if it matches.
 *
 * @param {string} root
 */
export function isInstalled(root) {
  const lock = readIfExists(`${root}/package-lock.json`)
  const installedByNpm = modifiedMs(npmRecord(root))
  if (lock === undefined || installedByNpm === undefined) return false

  const stampedMs = modifiedMs(stampFile(root)) ?? 0
  const isUntouchedSince = stampedMs >= installedByNpm && stampedMs >= (modifiedMs(`${root}/package-lock.json`) ?? 0)
  if (isUntouchedSince && readIfExists(stampFile(root)) === stampFor(lock)) return true

  if (!matchesLock(packagesIn(lock), packagesIn(readIfExists(npmRecord(root)) ?? '{}'))) return false
  stamp(root, lock)
  return true
}

/**
 * @param {string} root
 * @param {(pid: number) => void} onSpawn
 */
export async function install(root, onSpawn) {
  const hasLock = readIfExists(`${root}/package-lock.json`) !== undefined
  const verb = hasLock ? 'ci' : 'install'
  // The compiler is a development dependency, and NODE_ENV=production would leave it out.
  const args = [verb, '--no-audit', '--no-fund', '--include=dev']
  const end = announce(`Installing dependencies (npm ${verb})`)

  const npm = npmCommand()
  const { exitCode, output, stoppedBy } = await runChild(npm.command, [...npm.args, ...args], {
    cwd: root,
    captures: true,
    graceMs: stopGraceMs,
    onSpawn,
  }).catch((problem) => {
    end('failed')
    throw new PrepareError(
      `npm could not be started (${problem.message}). npm comes with Node and must be on the PATH.`,
    )
  })
  if (stoppedBy) {
    end('stopped')
    throw new Interrupted(stoppedBy)
  }
  if (exitCode !== 0) {
    end('failed')
    throw new PrepareError(`${shorten(output)}\nnpm ${verb} could not install the dependencies; see its output above.`)
  }
  stamp(root, readIfExists(`${root}/package-lock.json`) ?? '')
  end('done')
}

/**
 * The lines of npm's output that describe the error.
 *
 * @param {string} output
 */
export function shorten(output) {
  const lines = output.split('\n').filter((line) => line.startsWith('npm error') && line.trim() !== 'npm error')
  const relevant = lines.length > 0 ? lines : output.trimEnd().split('\n')
  if (relevant.length <= shownLines.first + shownLines.last) return relevant.join('\n')
  return [...relevant.slice(0, shownLines.first), '...', ...relevant.slice(-shownLines.last)].join('\n')
}

/** Under `npm start`, the npm that runs this script: it need not be the first on the PATH. */
export function npmCommand() {
  const caller = process.env.npm_execpath
  return caller?.endsWith('npm-cli.js') ? { command: process.execPath, args: [caller] } : { command: 'npm', args: [] }
}

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, os?: string[], cpu?: string[] }} LockedPackage
 */

/**
 * @param {string} lock
 * @returns {Record<string, LockedPackage>}
 */
function packagesIn(lock) {
  return JSON.parse(lock).packages ?? {}
}

/**
 * @param {Record<string, LockedPackage>} locked
 * @param {Record<string, LockedPackage>} installed
 */
function matchesLock(locked, installed) {
  const isComplete = Object.entries(locked).every(
    ([path, wanted]) => path === '' || wanted.optional || installed[path] !== undefined,
  )
  return (
    isComplete &&
    Object.entries(installed).every(([path, found]) => {
      const wanted = locked[path]
      return wanted?.version === found.version && wanted?.integrity === found.integrity && isForThisMachine(found)
    })
  )
}

/**
 * A node_modules copied from another machine holds that machine's binaries.
 *
 * @param {LockedPackage} found
 */
function isForThisMachine({ os, cpu }) {
  return (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true)
}

/**
 * @param {string} root
 * @param {string} lock
 */
function stamp(root, lock) {
  try {
    writeFileSync(stampFile(root), stampFor(lock))
  } catch (problem) {
    // A read-only checkout works without the stamp; it is compared on every start.
    const code = problem instanceof Error && 'code' in problem ? problem.code : undefined
    if (code !== 'EACCES' && code !== 'EROFS') throw problem
  }
}

/** @param {string} lock */
function stampFor(lock) {
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`
}

/** @param {string} root */
function stampFile(root) {
  return `${root}/node_modules/.yardmaster-install`
}

/**
 * npm's own record of the installed packages, written as the last step of an install.
 *
 * @param {string} root
 */
function npmRecord(root) {
  return `${root}/node_modules/.package-lock.json`
}

/** @param {string} file */
function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** @param {string} file */
function modifiedMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}
