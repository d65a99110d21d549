import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type NetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { eventually } from '../vitest/eventually.ts'

/** Path of redis-server. Undefined if it is not installed: then the Redis tests are skipped, and the run says why. */
export const redisProgram = findOnPath('redis-server')

if (redisProgram === undefined) {
  process.stdout.write('The Redis tests are skipped: there is no redis-server on PATH.\n')
}

/** A Redis server without persistence, stopped when the test finishes. */
export type RedisServer = {
  url: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Stops the process with SIGSTOP: connections stay open but get no answer. */
  freeze(): void
  thaw(): void
}

type Options = { over?: 'unix' | 'tcp'; password?: string }

export async function startRedisServer({ over = 'unix', password }: Options = {}): Promise<RedisServer> {
  if (redisProgram === undefined) throw new Error('there is no redis-server; guard the test with redisProgram')
  const program = redisProgram
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-redis-'))
  const socket = join(folder, 'redis.sock')
  const port = over === 'tcp' ? await freePort() : 0
  let child: ChildProcess | undefined

  const start = async (): Promise<void> => {
    const listening =
      over === 'tcp' ? ['--port', `${port}`, '--bind', '127.0.0.1'] : ['--port', '0', '--unixsocket', socket]
    const secured = password === undefined ? [] : ['--requirepass', password]
    child = spawn(program, [...listening, ...secured, '--save', '', '--appendonly', 'no', '--dir', folder], {
      stdio: 'ignore',
    })
    await eventually(
      () => answers(over === 'tcp' ? { port, host: '127.0.0.1' } : { path: socket }),
      (isUp) => isUp,
    )
  }
  const stop = async (): Promise<void> => {
    const stopping = child
    child = undefined
    if (!stopping || stopping.exitCode !== null) return
    const ended = new Promise((resolve) => stopping.once('exit', resolve))
    stopping.kill('SIGKILL')
    await ended
  }

  onTestFinished(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  await start()
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`
  return {
    url: over === 'tcp' ? `redis://${credentials}127.0.0.1:${port}` : `unix://${socket}`,
    start,
    stop,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  }
}

function findOnPath(program: string): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('the TCP server has no port')
  return address.port
}

function answers(target: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(target)
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.end())
  })
}
