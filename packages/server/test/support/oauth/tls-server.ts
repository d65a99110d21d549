import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { loopbackCertificate } from './certificate.mjs'

type Certificate = ReturnType<typeof loopbackCertificate>

/** One for all servers of a test file: making a key takes a moment. */
let made: Certificate | undefined
export const testCertificate = (): Certificate => (made ??= loopbackCertificate())

export type TlsServer = { origin: string; server: Server; close(): Promise<void> }

/** An https server on loopback. `close` also ends the connections that hang. */
export async function tlsServer(listener: RequestListener, { port = 0 } = {}): Promise<TlsServer> {
  const server = createServer(testCertificate(), listener)
  const sockets = new Set<Duplex>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: used } = server.address() as AddressInfo // listens on TCP
  return {
    origin: `https://127.0.0.1:${used}`,
    server,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
