import { readdir } from 'node:fs/promises'
import { errnoOf } from '../../platform/process/errno.ts'
import type { Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'

/** A problem is logged and no more: the turn has its outcome, and the next one replaces these files. */
export async function removeSecrets(app: App, runtime: Runtime, home: string): Promise<void> {
  try {
    await runtime.removeSecrets?.(home)
  } catch (error) {
    app.log.warn({ home, err: error }, 'could not remove the secrets of a turn')
  }
}

/**
 * Removes the secrets of turns that ended with this host: crashed with it, or taken over by another host meanwhile. Looks
 * in every home and asks every runtime, because a session may have changed since.
 */
export async function removeLeftSecrets(app: App): Promise<void> {
  const homes = await readdir(app.home.in('runtimes')).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
  const runtimes = app.runtimes.names().flatMap((name) => app.runtimes.find(name) ?? [])
  for (const home of homes) {
    await Promise.all(runtimes.map((runtime) => removeSecrets(app, runtime, app.home.in('runtimes', home))))
  }
}
