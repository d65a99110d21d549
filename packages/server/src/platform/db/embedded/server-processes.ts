import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'

export type ServerProcess = { pid: number; isPostmaster: boolean }

/** PostgreSQL includes this name in the title of each process, which identifies the processes of one server. */
export function clusterName(data: string): string {
  return `yardmaster-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`
}

/**
 * The processes of the server on this data directory, whichever process started it. Identified by command line and
 * title, which every user can read. Working directories would be more reliable, but root in a container may not read
 * those of another user.
 */
export async function findServerProcesses(data: string): Promise<ServerProcess[]> {
  const listed = process.platform === 'linux' ? await listProc() : await listPs()
  return listed.flatMap(({ pid, command }): ServerProcess[] => {
    if (isPostmasterOn(data, command)) return [{ pid, isPostmaster: true }]
    return command.startsWith(`postgres: ${clusterName(data)}: `) ? [{ pid, isPostmaster: false }] : []
  })
}

type Listed = { pid: number; command: string }

/** The command line of the postmaster is ours: the program, `-D`, the directory, then settings. */
function isPostmasterOn(data: string, command: string): boolean {
  const [program] = command.split(` -D ${data} -c `)
  return program !== undefined && program !== command && basename(program) === 'postgres'
}

async function listProc(): Promise<Listed[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const listed: Listed[] = []
  for (const pid of pids) {
    // A process that has ended meanwhile does not matter; a zombie has an empty command line.
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    listed.push({ pid: Number(pid), command: command.replaceAll('\0', ' ').trimEnd() })
  }
  return listed
}

async function listPs(): Promise<Listed[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=', '-o', 'command='], {
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command] = /^ *(\d+) (.*)$/.exec(line) ?? []
    return pid === undefined || command === undefined ? [] : [{ pid: Number(pid), command }]
  })
}
