import { execFile } from 'node:child_process'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { copyFolder } from '../../../src/platform/files/copy-folder.ts'
import { sampleRepository } from '../../support/app/app.ts'
import { meanwhile } from '../../support/processes/meanwhile.ts'

const run = promisify(execFile)
let folder = ''
const source = (...parts: string[]) => join(folder, 'source', ...parts)
const copy = (...parts: string[]) => join(folder, 'copy', ...parts)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yardmaster-copy-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
})

describe('a copy of a folder', () => {
  test('a copy of a folder has the same files, modes and times, and links stay links', async () => {
    await mkdir(source('deep'), { recursive: true })
    await writeFile(source('deep/script'), '#!/bin/sh\n', { mode: 0o755 })
    await utimes(source('deep/script'), 1000, 2000)
    await symlink('/etc', source('way-out'))
    await chmod(source('deep'), 0o555)
    expect(await copyFolder(source(), copy())).toBe(true)
    expect(await readFile(copy('deep/script'), 'utf8')).toBe('#!/bin/sh\n')
    expect(await stat(copy('deep/script'))).toMatchObject({ mtimeMs: 2_000_000 })
    expect((await stat(copy('deep/script'))).mode & 0o777).toBe(0o755)
    expect((await stat(copy('deep'))).mode & 0o777).toBe(0o555)
    expect(await readlink(copy('way-out'))).toBe('/etc')
    for (const path of [source('deep'), copy('deep')]) await chmod(path, 0o755)
  })

  test('a copy of a folder keeps the holes of a file of a terabyte', async () => {
    await mkdir(source(), { recursive: true })
    await run('truncate', ['--size=1T', source('disk.img')])
    await run('sh', ['-c', `printf tail >> ${source('disk.img')}`])
    expect(await copyFolder(source(), copy())).toBe(true)
    const { size, blocks } = await stat(copy('disk.img'))
    expect(size).toBe(2 ** 40 + 4)
    expect(blocks * 512).toBeLessThan(2 ** 20)
    expect((await run('tail', ['-c', '4', copy('disk.img')])).stdout).toBe('tail')
  })

  test('a copy of a folder shares no inode with the source and drops setuid', async () => {
    await mkdir(source())
    await writeFile(source('program'), 'x')
    await chmod(source('program'), 0o4755)
    await copyFolder(source(), copy())
    const [from, to] = [await stat(source('program')), await stat(copy('program'))]
    expect(to.ino).not.toBe(from.ino)
    expect(to.mode & 0o7777).toBe(0o755)
  })

  test("a copy of a folder leaves out pipes and git's lock files, and does not wait for a writer", async () => {
    await mkdir(source('.git/refs'), { recursive: true })
    for (const name of ['.git/index.lock', '.git/refs/main.lock', 'package.lock']) await writeFile(source(name), '')
    await run('mkfifo', [source('pipe')])
    await copyFolder(source(), copy())
    for (const name of ['pipe', '.git/index.lock', '.git/refs/main.lock']) {
      await expect(lstat(copy(name))).rejects.toThrow('ENOENT')
    }
    await lstat(copy('package.lock'))
  })

  test('copying a missing folder returns false', async () => {
    expect(await copyFolder(source(), copy())).toBe(false)
    await expect(lstat(copy())).rejects.toThrow('ENOENT')
  })

  test('a copy of a folder succeeds while a process creates, renames and deletes files and folders', async () => {
    await mkdir(source())
    await writeFile(source('kept'), 'kept')
    await meanwhile(
      'while :; do for n in 1 2 3 4 5 6 7 8 9; do mkdir -p d$n/e; echo x > d$n/e/f; echo x > f$n; mv f$n g$n; rm -r d$n g$n; done; done',
      { cwd: source() },
    )
    for (let round = 0; round < 30; round += 1) {
      expect(await copyFolder(source(), copy(String(round)).replace('copy/', 'copy-'))).toBe(true)
      expect(await readFile(join(folder, `copy-${round}`, 'kept'), 'utf8')).toBe('kept')
    }
  })

  test('a copy of a folder of a repository in which a process commits has every object of the commits it names', async () => {
    await sampleRepository(source())
    await meanwhile(
      'while :; do date +%N > file; git add file; git -c user.name=Test -c user.email=test@localhost commit -qm more; done',
      { cwd: source() },
    )
    for (let round = 0; round < 5; round += 1) {
      const target = join(folder, `copy-${round}`)
      await copyFolder(source(), target)
      await run('git', ['-C', target, 'rev-list', '--objects', '--all'], { maxBuffer: 2 ** 26 })
      await run('git', ['-C', target, 'status', '--porcelain'])
    }
  })
})
