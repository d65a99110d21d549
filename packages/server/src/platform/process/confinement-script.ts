import { join, relative } from 'node:path'
import { isInside } from '../contained-path.ts'
import type { View } from './confinement-view.ts'
import { shellQuote } from './shell-quote.ts'

/**
 * A shell script that arranges the file system of a new mount namespace and then runs the program in `"$@"`. It runs as
 * process 1 of a new pid namespace: it reaps orphans, ignores the SIGTERM that ends the program, and when it ends, the
 * kernel kills everything that is left in the namespace.
 *
 * Every cover is a folder of one temporary file system, arranged on `stage` before it is bound over the path: once a path
 * is covered, nothing below it can be reached any more. A cover inside another one is bound in that one's folder first.
 */
export function confinementScript(options: {
  view: View
  /** An empty folder. */
  stage: string
  cwd: string
  /** The program that runs the arguments: limits, privileges. By its path. */
  runner: readonly string[]
  /** Where the tools of the script are. The program keeps the PATH of its own environment. */
  toolPath: string
  lingerMs: number
}): string {
  const { view, stage, cwd, runner, toolPath, lingerMs } = options
  const staged = view.covers.map((cover, index) => ({ ...cover, staged: join(stage, String(index)) }))
  const placeOf = (path: string, among = staged): string => {
    const cover = among.findLast((one) => isInside(one.path, path))
    return cover ? join(cover.staged, relative(cover.path, path)) : path
  }
  // Inner covers first. The outer one that hides the stage comes last: the others are bound from there.
  const covers = staged
    .map((cover, index) => ({ ...cover, place: placeOf(cover.path, staged.slice(0, index)) }))
    .sort((one, other) => lastness(one, stage) - lastness(other, stage))
  const empty = { folder: join(stage, 'empty'), file: join(stage, 'nothing') }
  const shown = view.shown.map((one) => ({ ...one, place: placeOf(one.path) }))
  const shownMounts = shown.map(({ path, place, isWritable, isNoexec }) =>
    tableLine(path, place, ['bind', ...(isWritable ? [] : readOnly), ...(isNoexec ? ['noexec'] : [])]),
  )
  const coveringMounts = [
    // Before the covers, one of which hides the stage.
    ...view.hidden.map(({ path, isFolder }) =>
      tableLine(isFolder ? empty.folder : empty.file, placeOf(path), ['bind', ...readOnly]),
    ),
    ...covers.map(({ place, staged: from, isWritable }) =>
      tableLine(from, place, ['rbind', ...(isWritable ? [] : readOnly)]),
    ),
  ]
  const table = join(stage, 'fstab')
  const inner = covers.map((cover) => ({ ...cover, isFolder: true }))
  const lines = [
    'set -e',
    `path=$PATH; PATH=${shellQuote(toolPath)}`,
    view.isReadOnly ? listMounts : [],
    call('mount', '-t', 'tmpfs', '-o', 'mode=0755', 'yardmaster', stage),
    call(
      'mkdir',
      '-p',
      empty.folder,
      ...staged.map((cover) => cover.staged),
      ...placesToMake([...shown, ...inner], stage),
    ),
    shown
      .filter(({ isFolder, place }) => !isFolder && isInside(stage, place))
      .map(({ place }) => `: > ${shellQuote(place)}`),
    view.hidden.some(({ isFolder }) => !isFolder) ? `: > ${shellQuote(empty.file)}` : [],
    covers.filter(({ isWritable }) => isWritable).map(({ staged }) => call('chmod', '1777', staged)),
    view.isReadOnly
      ? [mountAll(shownMounts, table), remountReadOnly(table), mountAll(coveringMounts, table)]
      : mountAll([...shownMounts, ...coveringMounts], table),
    // The working folder was opened before it was bound: from there, `..` would still lead to what is hidden.
    call('cd', '--', cwd),
    'set +e; PATH=$path',
    `${call(...runner)} "$@"`,
    lingerMs > 0 ? [`status=$?; PATH=${shellQuote(toolPath)}`, ...linger({ lingerMs, others: 1 })] : [],
  ]
  return lines.flat(3).join('\n')
}

/** A user who is root only in a namespace cannot drop such an option from a mount, so a mount that changes names them all. */
const readOnly = ['ro', 'nosuid', 'nodev']

/** A line of a mount table. */
function tableLine(source: string, place: string, options: readonly string[]): string {
  return `${inTable(source)} ${inTable(place)} none ${options.join(',')} 0 0`
}

/**
 * Waits for the descendants of the program, which end with this shell. `others` is the number of processes that are
 * always there.
 */
export function linger({ lingerMs, others }: { lingerMs: number; others: number }): string[] {
  return [
    `left=${Math.ceil(lingerMs / lingerStepMs)}`,
    'while [ "$left" -gt 0 ]; do',
    `  set -- /proc/[0-9]*; [ "$#" -gt ${others} ] || break`,
    `  sleep ${lingerStepMs / 1000}; left=$((left - 1))`,
    'done',
    'exit "$status"',
  ]
}

const lingerStepMs = 50

function lastness({ path, place }: { path: string; place: string }, stage: string): number {
  return isInside(stage, place) ? 0 : isInside(path, stage) ? 2 : 1
}

/** The mount points: a folder for a folder, and the parent of a file. */
function placesToMake(shown: readonly { place: string; isFolder: boolean }[], stage: string): string[] {
  return shown
    .filter(({ place }) => isInside(stage, place))
    .map(({ place, isFolder }) => (isFolder ? place : join(place, '..')))
}

/** One process mounts them all, in this order: the start of a process takes longer than a mount. */
function mountAll(entries: readonly string[], table: string): string[] {
  if (entries.length === 0) return []
  return [`${call('printf', '%s\\n', ...entries)} > ${shellQuote(table)}`, call('mount', '--all', '--fstab', table)]
}

/** A path as it is written in a mount table. */
function inTable(path: string): string {
  return path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
}

/**
 * Every mount that exists before ours, as a mount table that makes it read-only and keeps its other options. /proc and /dev
 * stay: their files are devices and settings, guarded by the privileges of the user.
 */
const listMounts = [
  'mounts=$(while read -r _ _ _ _ point options _; do',
  '  case $point in /|/proc|/proc/*|/dev|/dev/pts) continue ;; esac',
  `  printf 'none %s none remount,bind,ro%s 0 0\\n' "$point" "\${options#r[ow]}"`,
  'done < /proc/self/mountinfo)',
]

/** A mount below another one that covers it cannot be reached, and not be remounted. Fails if one stays writable. */
function remountReadOnly(table: string): string[] {
  return [
    'mount -o remount,bind,ro /',
    `printf '%s\\n' "$mounts" > ${shellQuote(table)}`,
    `${call('mount', '--all', '--fstab', table)} 2>/dev/null || :`,
    `while read -r _ point _; do [ ! -w "$(printf %b "$point")" ]; done < ${shellQuote(table)}`,
  ]
}

function call(...words: readonly string[]): string {
  return words.map(shellQuote).join(' ')
}
