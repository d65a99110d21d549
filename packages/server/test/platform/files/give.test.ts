import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readlink, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { give } from '../../../src/platform/files/give.ts'
import { removeFolder } from '../../../src/platform/files/remove-folder.ts'

const run = promisify(execFile)
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yardmaster-give-'))
  onTestFinished(() => removeFolder(folder))
})

/** Folders inside each other, made as an agent can: each from within the one before. */
async function nest(levels: number): Promise<void> {
  const script = `for (let n = 0; n < ${levels}; n += 1) { fs.mkdirSync('d'); process.chdir('d') }`
  await run(process.execPath, ['-e', script], { cwd: folder })
}

describe.runIf(process.geteuid?.() === 0)('giving a folder to a user', () => {
  test('gives folders as deep as ordinary trees have', async () => {
    await nest(300)
    await give(folder, { uid: 54_321, gid: 54_321 }, [0])
    expect(await stat(join(folder, ...Array(300).fill('d')))).toMatchObject({ uid: 54_321 })
  })

  test('refuses folders nested thousands of levels deep, and leaves no file open', async () => {
    await nest(2000)
    await expect(give(folder, { uid: 54_321, gid: 54_321 }, [0])).rejects.toThrow('nested more than 500 levels deep')
    expect(await openBelow(folder)).toEqual([])
    // The owner of the folder itself tells whether all of it was given.
    expect(await stat(folder)).toMatchObject({ uid: 0 })
  })
})

/** The files and folders below this one that our process has open. Sockets of other tests come and go meanwhile. */
async function openBelow(path: string): Promise<string[]> {
  const handles = await readdir('/proc/self/fd')
  const targets = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(path))
}
