import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { findServerProcesses } from '../../../src/platform/db/embedded/server-processes.ts'
import { type ProcessIdentity, processTable } from '../../../src/platform/process/process-table.ts'
import { client, type TestApp } from '../app/app.ts'
import { eventually } from '../vitest/eventually.ts'

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

/** A Yardmaster in a process of its own, as `npm start` runs it. */
export type ServerProcess = Pick<TestApp, 'get' | 'post' | 'patch' | 'delete' | 'send'> & {
  url: string
  key: string
  pid: number
  home: string
  /** What it printed so far. */
  output: { stdout(): string; stderr(): string }
  exited: Promise<Exit>
  signal(name: NodeJS.Signals): Promise<void>
  /** Signals it and waits for its end. */
  stop(name?: NodeJS.Signals): Promise<Exit>
  kill(): Promise<Exit>
}

export type ServerOptions = {
  home: string
  environment?: Record<string, string>
  /** Where it looks for `.env`. */
  cwd?: string
}

/** Started and ready. Whatever it leaves behind is ended when the test is over, however the test ends. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { pid, output, exited, signal } = launchServer(options)
  const ended = exited.then(({ code, signal }) => `it ended (code ${code}, signal ${signal})`)
  const welcome = await Promise.race([
    eventually(async () => output.stdout(), isWelcome, 60_000),
    ended.then((how) => Promise.reject(new Error(`${how} before it was up:\n${output.stderr()}`))),
  ])
  const url = /is up at (\S+)/.exec(welcome)?.[1] ?? ''
  const key = await readKey(welcome, options.environment?.API_KEYS)
  const stop = async (name: NodeJS.Signals = 'SIGTERM'): Promise<Exit> => {
    await signal(name)
    return exited
  }
  return {
    ...client(url, key),
    url,
    key,
    pid,
    home: options.home,
    output,
    exited,
    signal,
    stop,
    kill: () => stop('SIGKILL'),
  }
}

/** For a start that is expected to fail: how it ended, and what it said. */
export async function startInVain(options: ServerOptions): Promise<Exit & { stdout: string; stderr: string }> {
  const { output, exited } = launchServer(options)
  return { ...(await exited), stdout: output.stdout(), stderr: output.stderr() }
}

const mainModule = new URL('../../../dist/main.js', import.meta.url).href

/** Started, and not waited for. */
export function launchServer({
  home,
  environment = {},
  cwd,
}: ServerOptions): Pick<ServerProcess, 'pid' | 'output' | 'exited' | 'signal'> {
  const program = `import { main } from ${JSON.stringify(mainModule)}; await main()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: cwd ?? tmpdir(),
    env: { PATH: process.env.PATH, HOME: tmpdir(), YARDMASTER_HOME: home, PORT: '0', ...environment },
  })
  const { pid } = child
  if (pid === undefined) throw new Error('the server could not be started')
  const exited = new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))
  const family: ProcessIdentity[] = []
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    // Written down while it lives: once it is gone, nobody can tell who was started by it.
    const isAlive = () => child.exitCode === null && child.signalCode === null
    if (isAlive()) family.push(...(await descendantsOf(pid)))
    if (isAlive()) child.kill(name)
  }
  onTestFinished(async () => {
    await signal('SIGKILL')
    await exited
    for (const member of await stillRunning(family)) endQuietly(member.pid)
    await eventually(
      () => stillRunning(family),
      (left) => left.length === 0,
    )
  })
  return { pid, output: { stdout: collected(child.stdout), stderr: collected(child.stderr) }, exited, signal }
}

/** A folder for homes and repositories that also the database's own user may pass through, when the tests run as root. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-process-'))
  await chmod(folder, 0o755)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Whoever works for this home: agents and their tools, which have it in their environment, and its database. To look at,
 * not to end: somebody else may mention it too.
 */
export async function processesOf(home: string): Promise<number[]> {
  const database = await findServerProcesses(join(home, 'postgres', 'data'))
  const mentioning = (await listProcesses()).filter(({ pid, text }) => pid !== process.pid && text.includes(`${home}/`))
  return [...new Set([...database, ...mentioning].map(({ pid }) => pid))]
}

/** Those who still run, each known by its start time too, so that nobody is taken for one who is gone. */
export async function stillRunning(processes: readonly ProcessIdentity[]): Promise<ProcessIdentity[]> {
  const isRunning = await Promise.all(processes.map((one) => processTable().isRunning(one)))
  return processes.filter((_, index) => isRunning[index])
}

async function descendantsOf(ancestor: number): Promise<ProcessIdentity[]> {
  const listed = await listProcesses()
  const pids = new Set([ancestor])
  // A set visits what is added during the walk, so this goes down to the last generation.
  for (const pid of pids) for (const one of listed) if (one.parentPid === pid) pids.add(one.pid)
  pids.delete(ancestor)
  const identities = await Promise.all([...pids].map((pid) => processTable().identify(pid)))
  return identities.filter((one) => one !== undefined)
}

type Listed = { pid: number; parentPid: number; text: string }

/** Each process with its arguments and its environment; a zombie has neither. */
async function listProcesses(): Promise<Listed[]> {
  if (process.platform !== 'linux') return listByPs()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(
    pids.map(async (pid) => {
      const [stat = '', ...text] = await Promise.all(
        ['stat', 'cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      )
      // The name in parentheses may hold anything; behind it stand the state and the parent.
      const [, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return { pid: Number(pid), parentPid: Number(parentPid), text: text.join(' ') }
    }),
  )
}

async function listByPs(): Promise<Listed[]> {
  const args = ['-axEww', '-o', 'pid=,ppid=,command=']
  const { stdout } = await promisify(execFile)('ps', args, { maxBuffer: 64 * 2 ** 20 })
  return stdout.split('\n').map((line) => {
    const [pid, parentPid, ...text] = line.trim().split(/\s+/)
    return { pid: Number(pid), parentPid: Number(parentPid), text: text.join(' ') }
  })
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself a moment ago.
  }
}

function collected(stream: NodeJS.ReadableStream | null): () => string {
  let text = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}

function isWelcome(stdout: string): boolean {
  return /^ {2}curl .*\n/m.test(stdout) || /is working|turns run where ROLE/.test(stdout)
}

async function readKey(welcome: string, apiKeys: string | undefined): Promise<string> {
  const file = /^API key: in (.*)$/m.exec(welcome)?.[1]
  return file === undefined ? (apiKeys ?? '') : (await readFile(file, 'utf8')).trim()
}
