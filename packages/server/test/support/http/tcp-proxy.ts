import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'

/** A loopback proxy in front of a server whose connections a test can cut, freeze and restore. */
export type TcpProxy = {
  port: number
  /** Closes every connection and refuses new ones. */
  cut(): void
  /** Keeps connections open, new ones too, but forwards nothing. */
  freeze(): void
  /** Once a connection has forwarded this text to the server, it returns no more answers. */
  deafenAfter(text: string): void
  /** Forwards again; closes the connections that were frozen. */
  mend(): void
  close(): Promise<void>
}

export async function openTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let state: 'open' | 'cut' | 'frozen' = 'open'
  let deafening: string | undefined

  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  const join = (socket: Socket, upstream: Socket): void => {
    socket.on('data', (chunk) => {
      if (deafening !== undefined && chunk.includes(deafening)) upstream.unpipe().resume()
    })
    socket.pipe(upstream).pipe(socket)
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
  }
  const server = createServer((socket) => {
    keep(socket)
    if (state === 'cut') socket.destroy()
    if (state !== 'open') return
    const upstream = connect(target)
    keep(upstream)
    join(socket, upstream)
  })
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')

  return {
    port: address.port,
    cut: () => {
      state = 'cut'
      endAll()
    },
    freeze: () => {
      state = 'frozen'
      for (const socket of sockets) socket.unpipe().pause()
    },
    deafenAfter: (text) => {
      deafening = text
    },
    mend: () => {
      state = 'open'
      deafening = undefined
      endAll()
    },
    close: async () => {
      endAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
