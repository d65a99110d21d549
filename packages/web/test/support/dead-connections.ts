import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

type Sleeper = {
  url: string
  /**
   * What a sleep of the computer leaves behind: the event streams stay open, and nothing comes through them any more. New connections
   * work.
   */
  killStreams(): void
  /** Ends all connections and takes no new ones, until the answer is called. */
  unplug(): () => void
}

/** An address of a server, for a page whose connections a test lets die. */
export async function throughSleeper(server: { url: string }): Promise<Sleeper> {
  const { hostname, port } = new URL(server.url)
  const [sockets, streams] = [new Set<Socket>(), new Set<Socket>()]
  let isUnplugged = false
  const listener = createServer((socket) => {
    if (isUnplugged) return socket.destroy()
    const upstream = connect(Number(port), hostname)
    for (const each of [socket, upstream]) {
      sockets.add(each)
      each.on('error', () => undefined).on('close', () => sockets.delete(each))
    }
    socket.on('data', (chunk) => {
      if (/^GET \S+\/v1\/events\b/.test(chunk.toString('latin1'))) streams.add(upstream)
    })
    socket.pipe(upstream).pipe(socket)
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => listener.close(resolve))
  })
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    killStreams: () => {
      for (const stream of streams) stream.unpipe().pause()
      streams.clear()
    },
    unplug: () => {
      isUnplugged = true
      for (const socket of sockets) socket.destroy()
      return () => {
        isUnplugged = false
      }
    },
  }
}
