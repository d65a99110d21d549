import { chmod, copyFile, stat } from 'node:fs/promises'
import { ifMissing } from './if-missing.ts'

/** Copies the operator's login unless the session's copy is newer: codex renews its copy, and an older one would sign it out. */
export async function copyLogin(authFile: string, copy: string): Promise<void> {
  const [source, current] = await Promise.all([stat(authFile).catch(ifMissing), stat(copy).catch(ifMissing)])
  if (!source || (current && current.mtimeMs >= source.mtimeMs)) return
  await copyFile(authFile, copy)
  await chmod(copy, 0o600)
}
