import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHost } from '../../packages/server/dist/app/compose.js'
import { readConfig } from '../../packages/server/dist/app/config.js'
import { openLog } from '../../packages/server/dist/platform/log/log.js'

export const benchKey = 'bench-key'

/**
 * Starts a complete host in this process, with an embedded PostgreSQL and a temporary home.
 *
 * @param {Record<string, string>} environment
 * @param {{ trustedAuthority?: string }} options
 */
export async function startBenchHost(environment = {}, options = {}) {
  const home = await mkdtemp(join(tmpdir(), 'yardmaster-bench-'))
  await chmod(home, 0o755)
  const config = readConfig({
    PORT: '0',
    YARDMASTER_HOME: home,
    API_KEYS: benchKey,
    LOG_LEVEL: 'error',
    ...environment,
  })
  const host = await startHost(config, { log: openLog({ level: config.LOG_LEVEL }), ...options })
  return {
    host,
    stop: async () => {
      await host.stop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
