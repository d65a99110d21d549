import { open } from 'node:fs/promises'

/** After this, a file that was renamed into the folder has its name also after a power cut. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
