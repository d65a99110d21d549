import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { foldersUpToRepository } from '../repository-folders.ts'

/** Whether the repository has a skill or hook of that name. It takes precedence over the session's. */
export async function isInRepository(
  workingDirectory: string,
  kind: 'skills' | 'hooks',
  name: string,
): Promise<boolean> {
  for (const folder of await foldersUpToRepository(workingDirectory)) {
    if (await exists(join(folder, '.claude', kind, name))) return true
  }
  return false
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
