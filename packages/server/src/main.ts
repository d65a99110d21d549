import { startHost } from './app/compose.ts'
import { readConfig, readEnvironment } from './app/config.ts'
import { isKept } from './app/link.ts'
import { stopOnSignals } from './app/shutdown.ts'
import { welcome } from './app/welcome.ts'
import { openLog } from './platform/log/log.ts'
import { StartupError } from './platform/startup-error.ts'

/** Starts Yardmaster in this process. Prints a StartupError as one sentence, and any other error with its stack. */
export async function main(): Promise<void> {
  try {
    const environment = readEnvironment(process.cwd())
    const config = readConfig(environment)
    const log = openLog({ level: config.LOG_LEVEL })
    const starting = startHost(config, { log, environment })
    const stopping = stopOnSignals(starting, log)
    const lines = await welcome(await starting, { isLogged: isKept(process.stdout.fd, environment) })
    if (!stopping.aborted) process.stdout.write(`${lines}\n`)
  } catch (error) {
    process.stderr.write(
      error instanceof StartupError ? `Yardmaster cannot start: ${error.message}\n` : `${stackOf(error)}\n`,
    )
    process.exit(1)
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
