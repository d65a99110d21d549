import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** From the working directory up to the root of its repository: in all of them the CLI looks for a project's own. */
export async function foldersUpToRepository(workingDirectory: string): Promise<string[]> {
  const folders = [workingDirectory]
  for (let folder = workingDirectory; !(await isThere(join(folder, '.git'))); ) {
    const above = dirname(folder)
    // Not in a repository at all.
    if (above === folder) return [workingDirectory]
    folder = above
    folders.push(folder)
  }
  return folders
}

/** Whether the repository brings something of that kind and name itself; then its own is used. */
export async function isInRepository(
  workingDirectory: string,
  kind: 'skills' | 'hooks',
  name: string,
): Promise<boolean> {
  for (const folder of await foldersUpToRepository(workingDirectory)) {
    if (await isThere(join(folder, '.claude', kind, name))) return true
  }
  return false
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
