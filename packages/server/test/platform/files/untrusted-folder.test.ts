import { execFile } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { UntrustedFile } from '../../../src/platform/files/untrusted-file.ts'
import {
  ensureUntrusted,
  listUntrusted,
  removeUntrusted,
  replaceUntrusted,
  takeUntrusted,
  writeUntrusted,
} from '../../../src/platform/files/untrusted-folder.ts'

let within = ''
let outside = ''
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-untrusted-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  within = join(folder, 'home')
  outside = join(folder, 'outside')
  await mkdir(outside)
  await writeFile(join(outside, 'file'), 'ours')
})

const at = (...names: string[]) => join(within, ...names)
const untouched = async () => ({ names: await readdir(outside), text: await readFile(join(outside, 'file'), 'utf8') })
const asBefore = { names: ['file'], text: 'ours' }

describe('writing below a folder that an agent can write', () => {
  test('writing below a folder that an agent can write creates the folders on the way, and a file that only our user can read', async () => {
    await writeUntrusted(at('deep', 'er', 'file'), 'text', { within })
    expect(await readFile(at('deep', 'er', 'file'), 'utf8')).toBe('text')
    expect((await stat(at('deep', 'er', 'file'))).mode & 0o777).toBe(0o600)
    expect((await stat(at('deep'))).mode & 0o777).toBe(0o700)
  })

  test.runIf(process.geteuid?.() === 0)(
    'writing below a folder that an agent can write gives what root makes to the owner of the folder it is in',
    async () => {
      await mkdir(within)
      await chown(within, 12_345, 12_346)
      await writeUntrusted(at('deep', 'er', 'file'), 'text', { within })
      await replaceUntrusted(at('folder'), { within }, (draft) => cp(outside, draft, { recursive: true }))
      await replaceUntrusted(at('link'), { within }, (draft) => symlink(outside, draft))
      for (const path of ['deep', 'deep/er', 'deep/er/file', 'folder', 'folder/file']) {
        expect(await stat(at(path))).toMatchObject({ uid: 12_345, gid: 12_346 })
      }
      expect(await stat(join(outside, 'file'))).toMatchObject({ uid: 0 })
    },
  )

  test.runIf(process.geteuid?.() === 0)(
    'writing below a folder that an agent can write gives a folder that root made and died before it gave it',
    async () => {
      await mkdir(at('kept'), { recursive: true })
      await chown(within, 12_345, 12_346)
      await writeUntrusted(at('kept', 'file'), 'text', { within })
      for (const path of ['kept', 'kept/file']) expect(await stat(at(path))).toMatchObject({ uid: 12_345, gid: 12_346 })
    },
  )

  test('writing below a folder that an agent can write replaces a link to a file elsewhere, and not that file', async () => {
    await mkdir(within)
    await symlink(join(outside, 'file'), at('file'))
    await symlink(join(outside, 'file'), at('file.partial'))
    await writeUntrusted(at('file'), 'text', { within })
    expect(await readFile(at('file'), 'utf8')).toBe('text')
    expect(await untouched()).toEqual(asBefore)
  })

  test('writing below a folder that an agent can write replaces a pipe and a folder that are in the way, without waiting', async () => {
    await mkdir(at('folder', 'full'), { recursive: true })
    await promisify(execFile)('mkfifo', [at('pipe'), at('pipe.partial')])
    for (const name of ['folder', 'pipe']) {
      await writeUntrusted(at(name), 'text', { within })
      expect(await readFile(at(name), 'utf8')).toBe('text')
    }
  })

  test.each<[string, (path: string) => Promise<unknown>]>([
    ['write', (path) => writeUntrusted(join(path, 'file'), 'text', { within })],
    ['replace', (path) => replaceUntrusted(join(path, 'file'), { within }, (draft) => cp(outside, draft))],
    ['remove', (path) => removeUntrusted(join(path, 'file'), { within })],
    ['take', (path) => takeUntrusted(join(path, 'file'), join(outside, 'taken'), { within })],
    ['list', (path) => listUntrusted(path, { within })],
    ['create', (path) => ensureUntrusted(join(path, 'new'), { within })],
  ])(
    'writing below a folder that an agent can write refuses to %s through a folder that is a link',
    async (_, change) => {
      await mkdir(at('way'), { recursive: true })
      await symlink(outside, at('way', 'out'))
      for (const path of [at('way', 'out'), at('way', 'out', 'deeper')]) {
        await expect(change(path)).rejects.toThrow(UntrustedFile)
      }
      expect(await untouched()).toEqual(asBefore)
    },
  )

  test('writing below a folder that an agent can write leaves no draft when it fails, and the old file as it was', async () => {
    await writeUntrusted(at('file'), 'old', { within })
    await writeUntrusted(at('folder', 'file'), 'old', { within })
    for (const name of ['file', 'folder']) {
      const full = async (draft: string) => {
        await writeFile(draft, 'ha')
        throw new Error('the disk is full')
      }
      await expect(replaceUntrusted(at(name), { within }, full)).rejects.toThrow('the disk is full')
    }
    expect((await readdir(within)).toSorted()).toEqual(['file', 'folder'])
    expect(await readFile(at('file'), 'utf8')).toBe('old')
    expect(await readFile(at('folder', 'file'), 'utf8')).toBe('old')
  })

  test('writing below a folder that an agent can write refuses a path that is not below the folder', async () => {
    await expect(writeUntrusted(join(outside, 'file'), 'text', { within })).rejects.toThrow(/is not below/)
    expect(await untouched()).toEqual(asBefore)
  })
})

describe('a folder whose rights an agent took away', () => {
  test.each<[string, string, (path: string) => Promise<unknown>]>([
    ['write', 'shut cannot be opened', (path) => writeUntrusted(join(path, 'file'), 'text', { within })],
    ['remove', 'shut cannot be opened', (path) => removeUntrusted(join(path, 'file'), { within })],
    ['list', 'shut cannot be opened', (path) => listUntrusted(path, { within })],
  ])('a folder whose rights an agent took away refuses to %s in words: %s', async (_, words, change) => {
    await mkdir(at('shut'), { recursive: true })
    await chmod(at('shut'), 0)
    await asOrdinaryUser(() => expect(change(at('shut'))).rejects.toThrow(new UntrustedFile(words)))
  })

  test('a folder whose rights an agent took away refuses in words to have a folder created in it', async () => {
    await mkdir(at('fixed'), { recursive: true })
    await chmod(at('fixed'), 0o500)
    await asOrdinaryUser(() =>
      expect(ensureUntrusted(at('fixed', 'new'), { within })).rejects.toThrow(
        new UntrustedFile('fixed/new cannot be created'),
      ),
    )
  })
})

describe('removing below a folder that an agent can write', () => {
  test('removing below a folder that an agent can write removes a link and not what it leads to, and leftovers of an interrupted write', async () => {
    await mkdir(within)
    await symlink(outside, at('link'))
    await writeFile(at('link.partial'), 'half')
    await removeUntrusted(at('link'), { within })
    await removeUntrusted(at('absent', 'deeper'), { within })
    expect(await readdir(within)).toEqual([])
    expect(await untouched()).toEqual(asBefore)
  })
})

describe('taking a file out of a folder that an agent can write', () => {
  test('taking a file out of a folder that an agent can write moves a regular file and leaves links alone', async () => {
    await mkdir(within)
    await writeFile(at('file'), 'theirs')
    await symlink(join(outside, 'file'), at('link'))
    const to = join(outside, '..', 'kept', 'file')
    expect(await takeUntrusted(at('link'), to, { within })).toBe(false)
    expect(await takeUntrusted(at('absent'), to, { within })).toBe(false)
    expect(await takeUntrusted(at('file'), to, { within })).toBe(true)
    expect(await readFile(to, 'utf8')).toBe('theirs')
    expect(await readdir(within)).toEqual(['link'])
  })
})

test('listing a folder that an agent can write tells folders, links and the rest apart', async () => {
  await mkdir(at('folder'), { recursive: true })
  await writeFile(at('file'), '')
  await symlink(outside, at('link'))
  expect((await listUntrusted(within, { within })).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'file', isFolder: false, isLink: false },
    { name: 'folder', isFolder: true, isLink: false },
    { name: 'link', isFolder: false, isLink: true },
  ])
  expect(await listUntrusted(at('absent'), { within })).toEqual([])
})

/** Root may do everything, so as root the test becomes an ordinary user for a while. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work()
  await promisify(execFile)('chown', ['-R', '65534', join(within, '..')])
  process.seteuid?.(65534)
  try {
    await work()
  } finally {
    process.seteuid?.(0)
  }
}
