import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Every process but this one with its command line and, on Linux, its environment.
 *
 * @returns {{ pid: number, text: string }[]}
 */
export function listProcesses() {
  return (existsSync('/proc/self/cmdline') ? fromProc() : fromPs()).filter(({ pid }) => pid !== process.pid)
}

function fromProc() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), text: `${read(`/proc/${name}/cmdline`)} ${read(`/proc/${name}/environ`)}` }))
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    // The process ended, or belongs to another user.
    return ''
  }
}

function fromPs() {
  const lines = execFileSync('ps', ['-axww', '-o', 'pid=,command='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => {
    const [, pid = '', text = ''] = /^\s*(\d+) (.*)$/.exec(line) ?? []
    return { pid: Number(pid), text }
  })
}
