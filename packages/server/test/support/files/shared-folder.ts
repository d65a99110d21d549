import { chmod, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A temporary folder in which agents write for a test to read, whichever user they run as. Never the home of a server,
 * which agents do not see.
 */
export async function sharedFolder(name = 'yardmaster-shared-'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), name))
  await chmod(folder, 0o777)
  return folder
}

/** The same at a path that the test chooses. */
export async function makeShared(path: string): Promise<void> {
  await mkdir(path)
  await chmod(path, 0o777)
}
