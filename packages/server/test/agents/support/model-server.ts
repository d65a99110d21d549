import { afterAll, beforeAll } from 'vitest'
import { type ModelServer, startModelServer } from '../../support/model-server/model-server.ts'

/** A scripted model for one test file. `model-server/model-server.ts` describes the script. */
export function modelServer(): ModelServer {
  const server = {} as ModelServer // filled before the first test runs
  let stop: () => Promise<void> = async () => undefined
  beforeAll(async () => {
    const started = await startModelServer()
    stop = started.stop
    Object.assign(server, started)
  })
  afterAll(() => stop())
  return server
}
