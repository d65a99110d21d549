import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { findServerProcesses } from '../../../src/platform/db/embedded/server-processes.ts'
import { type ProcessIdentity, processTable } from '../../../src/platform/process/process-table.ts'
import { client, type TestApp, testMasterKey } from '../app/app.ts'
import { eventually } from '../vitest/eventually.ts'

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

/** A Yardmaster in its own process, as `npm start` runs it. */
export type ServerProcess = Pick<TestApp, 'get' | 'post' | 'patch' | 'delete' | 'send'> & {
  url: string
  key: string
  pid: number
  home: string
  /** The output so far. */
  output: { stdout(): string; stderr(): string }
  exited: Promise<Exit>
  signal(name: NodeJS.Signals): Promise<void>
  /** Sends the signal and waits for the exit. */
  stop(name?: NodeJS.Signals): Promise<Exit>
  kill(): Promise<Exit>
}

export type ServerOptions = {
  home: string
  environment?: Record<string, string>
  /** The directory in which it looks for `.env`. */
  cwd?: string
  /** The address of a script that starts it, instead of the server alone. */
  script?: string
}

/** Starts a server and waits until it is ready. Its processes are killed when the test finishes. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { pid, output, exited, signal } = launchServer(options)
  const ended = exited.then(({ code, signal }) => `the server exited (code ${code}, signal ${signal})`)
  const welcome = await Promise.race([
    eventually(async () => output.stdout(), isWelcome),
    ended.then((how) => Promise.reject(new Error(`${how} before it was ready:\n${output.stderr()}`))),
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

/** For a start that must fail: waits for the exit and returns it with the output. */
export async function startAndFail(options: ServerOptions): Promise<Exit & { stdout: string; stderr: string }> {
  const { output, exited } = launchServer(options)
  return { ...(await exited), stdout: output.stdout(), stderr: output.stderr() }
}

const mainModule = new URL('../../../dist/main.js', import.meta.url).href

/** Starts a server without waiting until it is ready. */
export function launchServer({
  home,
  environment = {},
  cwd,
  script,
}: ServerOptions): Pick<ServerProcess, 'pid' | 'output' | 'exited' | 'signal'> {
  const program = script
    ? `await import(${JSON.stringify(script)})`
    : `import { main } from ${JSON.stringify(mainModule)}; await main()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: cwd ?? tmpdir(),
    env: {
      PATH: process.env.PATH,
      HOME: tmpdir(),
      YARDMASTER_HOME: home,
      PORT: '0',
      ...(environment.DATABASE_URL && { YARDMASTER_MASTER_KEY: testMasterKey }),
      ...environment,
    },
  })
  const { pid } = child
  if (pid === undefined) throw new Error('cannot start the server')
  const exited = new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))
  const descendants: ProcessIdentity[] = []
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    // Recorded while the server lives: after its exit its descendants have another parent.
    const isAlive = () => child.exitCode === null && child.signalCode === null
    if (isAlive()) descendants.push(...(await descendantsOf(pid)))
    if (isAlive()) child.kill(name)
  }
  onTestFinished(async () => {
    await signal('SIGKILL')
    await exited
    for (const { pid } of await stillRunning(descendants)) killIfRunning(pid)
    await eventually(
      () => stillRunning(descendants),
      (left) => left.length === 0,
    )
  })
  return { pid, output: { stdout: collected(child.stdout), stderr: collected(child.stderr) }, exited, signal }
}

/** A folder for homes and repositories. If the tests run as root, the users of the database and of agents need it too. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-process-'))
  await chmod(folder, 0o777)
  // A process that a killed server started in its last moment is ended by no one, and may still write.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/**
 * The processes of a home: its database, and agents and tools with the home in their arguments or environment. Only for
 * assertions, never to kill them: an unrelated process may mention the home too.
 */
export async function processesOf(home: string): Promise<number[]> {
  const database = await findServerProcesses(join(home, 'postgres', 'data'))
  const mentioning = (await listProcesses()).filter(({ pid, text }) => pid !== process.pid && text.includes(`${home}/`))
  return [...new Set([...database, ...mentioning].map(({ pid }) => pid))]
}

/** Those of the processes that run now. */
export async function identify(pids: readonly number[]): Promise<ProcessIdentity[]> {
  const identities = await Promise.all(pids.map((pid) => processTable().identify(pid)))
  return identities.filter((one) => one !== undefined)
}

/** The processes that still run. Compares start times too, so that a reused pid does not count. */
export async function stillRunning(processes: readonly ProcessIdentity[]): Promise<ProcessIdentity[]> {
  const isRunning = await Promise.all(processes.map((one) => processTable().isRunning(one)))
  return processes.filter((_, index) => isRunning[index])
}

async function descendantsOf(ancestor: number): Promise<ProcessIdentity[]> {
  const listed = await listProcesses()
  const pids = new Set([ancestor])
  // Iterating a set also visits elements that are added during the iteration, so this finds all generations.
  for (const pid of pids) for (const one of listed) if (one.parentPid === pid) pids.add(one.pid)
  pids.delete(ancestor)
  return identify([...pids])
}

type Listed = { pid: number; parentPid: number; text: string }

/** Every process with its arguments and its environment. A zombie has neither. */
async function listProcesses(): Promise<Listed[]> {
  if (process.platform !== 'linux') return listByPs()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(
    pids.map(async (pid) => {
      const [stat = '', ...text] = await Promise.all(
        ['stat', 'cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      )
      // The name in parentheses can contain any character; the state and the parent's pid follow it.
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

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has exited already.
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
