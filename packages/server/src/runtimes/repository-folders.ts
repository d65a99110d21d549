import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The folders in which agents look for project files: from the working directory up to the root of the repository. */
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

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
