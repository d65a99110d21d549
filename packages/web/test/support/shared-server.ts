import type { TestProject } from 'vitest/node'
import { launchServer } from './launch-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    server: { url: string; key: string; home: string }
  }
}

/** One server for the whole run: a test makes its own sessions, and does not count what others made. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await launchServer()
  project.provide('server', { url: server.url, key: server.key, home: server.home })
  return () => server.stop()
}
