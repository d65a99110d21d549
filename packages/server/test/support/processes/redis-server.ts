import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type NetConnectOpts } from 'node:net'
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
  // Below the ports that a system gives to outgoing connections, which could take it while the server is stopped.
  let port = over === 'tcp' ? randomInt(20_000, 32_000) : 0
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const listening =
      over === 'tcp' ? ['--port', `${port}`, '--bind', '127.0.0.1'] : ['--port', '0', '--unixsocket', socket]
    const secured = password === undefined ? [] : ['--requirepass', password]
    const started = spawn(program, [...listening, ...secured, '--save', '', '--appendonly', 'no', '--dir', folder], {
      stdio: 'ignore',
    })
    child = started
    await eventually(
      async () => hasEnded(started) || (await answers(over === 'tcp' ? { port, host: '127.0.0.1' } : { path: socket })),
      (isOver) => isOver,
    )
    if (hasEnded(started)) throw new Error('redis-server ended at its start')
  }
  const stop = async (): Promise<void> => {
    const stopping = child
    child = undefined
    if (!stopping || hasEnded(stopping)) return
    const ended = new Promise((resolve) => stopping.once('exit', resolve))
    stopping.kill('SIGKILL')
    await ended
  }

  onTestFinished(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  await start().catch(async () => {
    // The port was taken.
    port = over === 'tcp' ? randomInt(20_000, 32_000) : 0
    await start()
  })
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

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
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
