import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A Yardmaster in its own process with its own home, as `npm start` runs it. */
export type Server = {
  url: string
  key: string
  pid: number
  home: string
  /** Calls the API with the key, to prepare what a page shows. Answers the body. */
  call<Answer = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer>
  signal(name: NodeJS.Signals): void
  /** Ends it and removes its home. */
  stop(): Promise<void>
}

type LaunchOptions = {
  /** An existing home, to start a server that was killed again. It is kept when the server stops. */
  home?: string
  port?: string
  environment?: Record<string, string>
}

const mainModule = new URL('../../../server/dist/main.js', import.meta.url).href

export async function launchServer({ home, port = '0', environment = {} }: LaunchOptions = {}): Promise<Server> {
  const folder = home ?? (await mkdtemp(join(tmpdir(), 'yardmaster-web-')))
  // If the tests run as root, the users of the database and of agents need it too.
  await chmod(folder, 0o777)
  // The server ends when this process is gone, however it ended: then its standard input is at its end.
  const program = `process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume();
    const { main } = await import(${JSON.stringify(mainModule)}); await main()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, HOME: tmpdir(), YARDMASTER_HOME: folder, PORT: port, ...environment },
  })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const output = await outputUntilReady(child)
  const url = /is up at (\S+)/.exec(output)?.[1] ?? ''
  const keyFile = /^API key: in (.*)$/m.exec(output)?.[1]
  const key = keyFile === undefined ? (environment.API_KEYS ?? '') : (await readFile(keyFile, 'utf8')).trim()
  return {
    url,
    key,
    pid: child.pid ?? 0,
    home: folder,
    call: async (method, path, body) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    signal: (name) => void child.kill(name),
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      // A stop that took too long on a busy machine may leave a process that still writes.
      if (home === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/**
 * A port for a server that is killed and started again, so that it must not be taken meanwhile. Systems give ports above these to
 * outgoing connections, those of the page included.
 */
export async function steadyPort(): Promise<string> {
  const port = randomInt(20_000, 32_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return steadyPort()
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

/** The welcome ends with an example call. */
function outputUntilReady(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ['', '']
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-20_000)
    })
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (/^ {2}curl .*\n/m.test(stdout)) resolve(stdout)
    })
    child.once('close', (code) => reject(new Error(`the server exited with ${code} before it was ready:\n${stderr}`)))
  })
}
