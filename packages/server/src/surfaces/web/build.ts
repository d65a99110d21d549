import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { errnoOf } from '../../platform/process/errno.ts'

export type BuiltFile = {
  type: string
  /** Of the plain content. */
  hash: string
  /** The build writes a hash of the content into the names in this folder, so a browser may keep the file for ever. */
  isImmutable: boolean
  content: Buffer
  /** The content as the build compressed it. */
  encoded: { br?: Buffer; gzip?: Buffer }
}

/** The built dashboard, by the path of each file: `/index.html`. Undefined until it was built. */
export type Build = { current(): Promise<ReadonlyMap<string, BuiltFile> | undefined> }

/** Everyone can ask for pages, as often as they like; the disk is looked at no more often than this. */
const lookEveryMs = 200

/**
 * Reads the build into memory, and again when another one has taken its place. A request names a key of the table and never a path on
 * disk, so that no way of writing an address leads out of the folder; links in the folder are left out.
 */
export function openBuild(folder: string, now: () => number = () => performance.now()): Build {
  let files: ReadonlyMap<string, BuiltFile> | undefined
  let readAs: string | undefined
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let underway: Promise<void> | undefined

  const look = async (): Promise<void> => {
    const found = await identityOf(join(folder, 'index.html'))
    if (found === readAs) return
    files = found === undefined ? undefined : await readFiles(folder)
    readAs = found
  }
  return {
    current: async () => {
      if (now() - lookedAtMs >= lookEveryMs) {
        lookedAtMs = now()
        underway = look().finally(() => {
          underway = undefined
        })
      }
      await underway
      return files
    },
  }
}

/** Changes when another file takes the place of the file. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs, size } = await stat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, BuiltFile>> {
  const contents = new Map<string, Buffer>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue
    const path = join(entry.parentPath, entry.name)
    contents.set(path.slice(folder.length), await readFile(path))
  }
  const files = new Map<string, BuiltFile>()
  for (const [path, content] of contents) {
    const type = types[extname(path)]
    if (type === undefined) continue
    const [br, gzip] = [contents.get(`${path}.br`), contents.get(`${path}.gz`)]
    files.set(path, {
      type,
      hash: createHash('sha256').update(content).digest('base64url'),
      isImmutable: path.startsWith('/assets/'),
      content,
      encoded: { ...(br && { br }), ...(gzip && { gzip }) },
    })
  }
  return files
}

/** What a page is made of. A file of any other kind is not served. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}
