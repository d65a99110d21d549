import { chown, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readIfPresent, readOrCreate, writePrivateFile } from '../../../src/platform/files/private-file.ts'

test('writes a file and its folder for our user alone and leaves no draft', async () => {
  const folder = join(await makeFolder(), 'below')
  await writePrivateFile(join(folder, 'key'), 'secret')

  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect((await stat(join(folder, 'key'))).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['key'])
})

test('replaces a file that others can read by one that they cannot', async () => {
  const path = join(await makeFolder(), 'key')
  await writeFile(path, 'old', { mode: 0o644 })
  await writePrivateFile(path, 'new')

  expect(await readFile(path, 'utf8')).toBe('new')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

// Only root can give a file to another user.
test.runIf(process.geteuid?.() === 0)('leaves a file to its owner if it is told to', async () => {
  const path = join(await makeFolder(), 'key')
  await writeFile(path, 'old')
  await chown(path, 12_345, 12_346)
  await writePrivateFile(path, 'new', { keepsOwner: true })
  expect(await stat(path)).toMatchObject({ uid: 12_345, gid: 12_346 })
  expect(await readFile(path, 'utf8')).toBe('new')
  await writePrivateFile(path, 'newer')
  expect(await stat(path)).toMatchObject({ uid: 0 })
})

test('writes through no link that waits where the draft goes', async () => {
  const folder = await makeFolder()
  await writeFile(join(folder, 'victim'), 'untouched')
  await symlink(join(folder, 'victim'), join(folder, 'key.partial'))
  await writePrivateFile(join(folder, 'key'), 'secret')

  expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('untouched')
  expect((await lstat(join(folder, 'key'))).isFile()).toBe(true)
})

test('a secret is read through no link, and taken away from others who could read it', async () => {
  const path = join(await makeFolder(), 'key')
  await writeFile(path, 'secret\n', { mode: 0o644 })
  await symlink(path, `${path}-link`)

  expect(await readOrCreate(path, () => 'another')).toBe('secret')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  await expect(readOrCreate(`${path}-link`, () => 'another')).rejects.toThrow('ELOOP')
})

test('reads a missing file as undefined, also below a path that is no folder', async () => {
  const folder = await makeFolder()
  await writeFile(join(folder, 'file'), 'text')

  expect(await readIfPresent(join(folder, 'file'))).toBe('text')
  expect(await readIfPresent(join(folder, 'none'))).toBeUndefined()
  expect(await readIfPresent(join(folder, 'file/below'))).toBeUndefined()
  await expect(readIfPresent(folder)).rejects.toThrow('EISDIR')
})

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ym-private-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
