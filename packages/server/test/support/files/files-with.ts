import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The files below these places that hold one of the texts, each with the names of the texts in it. */
export async function filesWith(texts: Record<string, string>, ...places: string[]): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const place of places) {
    for await (const file of filesIn(place)) {
      const content = await readFile(file).catch(ifGone)
      const names = Object.keys(texts).filter((name) => content?.includes(texts[name] ?? ''))
      if (names.length > 0) found[file] = names
    }
  }
  return found
}

async function* filesIn(place: string): AsyncGenerator<string> {
  const stat = await lstat(place).catch(ifGone)
  if (stat?.isFile()) yield place
  if (!stat?.isDirectory()) return
  for (const name of (await readdir(place).catch(ifGone)) ?? []) yield* filesIn(join(place, name))
}

/** A running server removes files meanwhile. */
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
