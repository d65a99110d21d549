import { join, relative } from 'node:path'
import { isInside } from '../contained-path.ts'
import type { ShownPath, View } from './confinement-view.ts'
import { shellQuote } from './shell-quote.ts'

/**
 * A shell script that arranges the file system of a new mount namespace and then runs the program in `"$@"`. It runs as
 * process 1 of a new pid namespace: it reaps orphans, ignores the SIGTERM that ends the program, and when it ends, the
 * kernel kills everything that is left in the namespace.
 *
 * Every cover is a folder of one temporary file system, arranged on `stage` before it is bound over the path: once a path
 * is covered, nothing below it can be reached any more.
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
  // The cover that hides the stage comes last: the others are bound from there.
  const covers = view.covers
    .map((cover, index) => ({ ...cover, staged: join(stage, String(index)) }))
    .sort((one, other) => Number(isInside(one.path, stage)) - Number(isInside(other.path, stage)))
  const placeOf = (path: string): string => {
    const cover = covers.find((one) => isInside(one.path, path))
    return cover ? join(cover.staged, relative(cover.path, path)) : path
  }
  const empty = { folder: join(stage, 'empty'), file: join(stage, 'nothing') }
  const shown = view.shown.map((one) => ({ ...one, place: placeOf(one.path) }))
  const lines = [
    'set -e',
    `path=$PATH; PATH=${shellQuote(toolPath)}`,
    view.isReadOnly ? "mounts=$(cut -d' ' -f5 /proc/self/mountinfo)" : [],
    call('mount', '-t', 'tmpfs', '-o', 'mode=0755', 'yardmaster', stage),
    call('mkdir', '-p', empty.folder, ...covers.map(({ staged }) => staged), ...placesToMake(shown, stage)),
    shown
      .filter(({ isFolder, place }) => !isFolder && isInside(stage, place))
      .map(({ place }) => `: > ${shellQuote(place)}`),
    view.hidden.some(({ isFolder }) => !isFolder) ? `: > ${shellQuote(empty.file)}` : [],
    covers.filter(({ isWritable }) => isWritable).map(({ staged }) => call('chmod', '1777', staged)),
    shown.flatMap(({ path, place, isWritable }) => [
      call('mount', '--bind', path, place),
      isWritable ? [] : readOnly(place),
    ]),
    view.isReadOnly ? remountReadOnly : [],
    // Before the covers, one of which hides the stage.
    view.hidden.flatMap(({ path, isFolder }) => [
      call('mount', '--bind', isFolder ? empty.folder : empty.file, path),
      readOnly(path),
    ]),
    covers.flatMap(({ path, staged, isWritable }) => [
      call('mount', '--rbind', staged, path),
      isWritable ? [] : readOnly(path),
    ]),
    // The working folder was opened before it was bound: from there, `..` would still lead to what is hidden.
    call('cd', '--', cwd),
    'set +e; PATH=$path',
    `${call(...runner)} "$@"`,
    lingerMs > 0 ? [`status=$?; PATH=${shellQuote(toolPath)}`, ...linger({ lingerMs, others: 1 })] : [],
  ]
  return lines.flat(2).join('\n')
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

/** The mount points: a folder for a folder, and the parent of a file. */
function placesToMake(shown: readonly (ShownPath & { place: string })[], stage: string): string[] {
  return shown
    .filter(({ place }) => isInside(stage, place))
    .map(({ place, isFolder }) => (isFolder ? place : join(place, '..')))
}

/**
 * Every mount that existed before ours. A mount below another one that covers it cannot be reached, and not be
 * remounted. /proc and /dev stay: their files are devices and settings, guarded by the privileges of the user.
 */
const remountReadOnly = [
  'set -f',
  'for point in $mounts; do',
  '  point=$(printf %b "$point")',
  '  case $point in /proc|/proc/*|/dev|/dev/pts) continue ;; esac',
  '  mount -o remount,bind,ro "$point" 2>/dev/null || [ ! -w "$point" ]',
  'done',
  'set +f',
]

function readOnly(path: string): string {
  return call('mount', '-o', 'remount,bind,ro', path)
}

function call(...words: readonly string[]): string {
  return words.map(shellQuote).join(' ')
}
