import { onTestFinished } from 'vitest'
import { openTcpProxy, type TcpProxy } from '../http/tcp-proxy.ts'

/** The same database through a TCP proxy that the test can interrupt. The test's own pool connects directly. */
export async function proxiedDatabase(url: string): Promise<{ url: string; proxy: TcpProxy }> {
  const direct = new URL(url)
  const proxy = await openTcpProxy({ path: `${direct.searchParams.get('host')}/.s.PGSQL.${direct.port}` })
  onTestFinished(() => proxy.close())
  const proxied = new URL(direct)
  proxied.search = ''
  proxied.host = `127.0.0.1:${proxy.port}`
  return { url: proxied.href, proxy }
}
