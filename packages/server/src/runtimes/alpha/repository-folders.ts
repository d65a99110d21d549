import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The folders in which the CLI looks for project files: from the working directory up to the root of the repository. */
export async function foldersUpToRepository(workingDirectory: string): Promise<string[]> {
  const folders = [workingDirectory]
  for (let folder = workingDirectory; !(await exists(join(folder, '.git'))); ) {
    const above = dirname(folder)
    // Not in a repository.
    if (above === folder) return [workingDirectory]
    folder = above
    folders.push(folder)
  }
  return folders
}

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
