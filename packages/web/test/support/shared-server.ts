import type { TestProject } from 'vitest/node'
import { launchFront } from './front.ts'
import { launchServer } from './launch-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    server: { url: string; front: string; key: string }
  }
}

/** One server for the whole run: a test makes its own sessions, and does not count what others made. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await launchServer()
  const front = await launchFront(server)
  project.provide('server', { url: server.url, front: front.url, key: server.key })
  return async () => {
    front.close()
    await server.stop()
  }
}
