import type { App } from '../app.ts'

/** Names of folders come from the id alone, never from anything a caller wrote. */
export function cloneName(sessionId: number): string {
  return `session-${sessionId}`
}

export function clonePath(app: App, sessionId: number): string {
  return app.home.in('clones', cloneName(sessionId))
}

/** The runtime's own folder for this session: its configuration and the transcripts it writes. */
export function runtimeHome(app: App, sessionId: number): string {
  return app.home.in('runtimes', cloneName(sessionId))
}
