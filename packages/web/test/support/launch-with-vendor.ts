import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { alphaCli, startVendor, type Vendor } from '../../../server/test/support/accounts/vendor-server.ts'
import { launchServer, type Server } from './launch-server.ts'

type WithVendor = { vendor: Vendor; server: Server; stop(): Promise<void> }

/** A server with a vendor whose accounts serve one runtime, and with a runtime that takes a key instead. */
export async function launchWithVendor(): Promise<WithVendor> {
  const vendor = await startVendor()
  const files = await mkdtemp(join(tmpdir(), 'yardmaster-web-files-'))
  const models = [{ id: 'a-model', label: 'A model', default: true }]
  const row = { name: 'keyed', driver: 'acp', command: 'true', environment: ['KEYED_API_KEY'], models }
  await writeFile(join(files, 'runtimes.json'), JSON.stringify({ runtimes: [row] }))
  const environment = {
    RUNTIMES_PATH: join(files, 'runtimes.json'),
    RUNTIME_ALPHA_COMMAND: alphaCli,
    ANTHROPIC_BASE_URL: vendor.url,
    RUNTIME_ALPHA_TOKEN_URL: `${vendor.url}/v1/oauth/token`,
  }
  const server = await launchServer({ environment })
  return {
    vendor,
    server,
    stop: async () => {
      await server.stop()
      await vendor.close()
      await rm(files, { recursive: true, force: true })
    },
  }
}
