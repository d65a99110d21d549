import type { App } from '../app.ts'

/** Derived from the id only: text from callers never becomes part of a path. */
export function cloneName(sessionId: number): string {
  return `session-${sessionId}`
}

/** The session that a folder of `clones` or `runtimes` belongs to; undefined for another name. */
export function sessionOfFolder(name: string): number | undefined {
  const [, id] = /^session-([1-9]\d{0,14})(?:\.kept)?$/.exec(name) ?? []
  return id === undefined ? undefined : Number(id)
}

export function clonePath(app: App, sessionId: number): string {
  return app.home.in('clones', cloneName(sessionId))
}

/** The runtime's folder for this session: its configuration and the transcripts it writes. */
export function runtimeHome(app: App, sessionId: number): string {
  return app.home.in('runtimes', cloneName(sessionId))
}
