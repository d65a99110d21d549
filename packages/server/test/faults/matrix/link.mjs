import { connect, createServer } from 'node:net'

/** A TCP link to the database's socket that a round can cut, either by refusing connections or by dropping all data. */
export async function openLink(databaseUrl) {
  const direct = new URL(databaseUrl)
  const path = `${direct.searchParams.get('host')}/.s.PGSQL.${direct.port}`
  const sockets = new Set()
  let state = 'open'
  const keep = (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((socket) => {
    keep(socket)
    if (state === 'refusing') return socket.destroy()
    if (state === 'silent') return
    const upstream = keep(connect({ path }))
    socket.pipe(upstream).pipe(socket)
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
  })
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(direct)
  url.search = ''
  url.host = `127.0.0.1:${server.address().port}`
  return {
    url: url.href,
    cut: (how) => {
      state = how
      if (how === 'refusing') endAll()
      else for (const socket of sockets) socket.unpipe().pause()
    },
    mend: () => {
      state = 'open'
      endAll()
    },
    close: async () => {
      endAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
