import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openUntrusted, readUntrusted, UntrustedFile } from '../../../src/platform/files/untrusted-file.ts'

const run = promisify(execFile)
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yardmaster-untrusted-'))
  await mkdir(join(folder, 'inside/deep'), { recursive: true })
  await mkdir(join(folder, 'outside'))
  await writeFile(join(folder, 'outside/secret'), 'secret')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const inside = (name: string) => join(folder, 'inside', name)
const read = (path: string, maxBytes = 1000) => readUntrusted(path, { within: join(folder, 'inside'), maxBytes })

describe('a file that an agent can write', () => {
  test('a file that an agent can write is read when it is a regular file in its folder', async () => {
    await writeFile(inside('deep/plain'), 'plain')
    expect(await read(inside('deep/plain'))).toBe('plain')
  })

  test('a file that an agent can write is undefined when it does not exist, or when a part of its path is a file', async () => {
    expect(await read(inside('absent'))).toBeUndefined()
    expect(await read(inside('deep/plain/below'))).toBeUndefined()
  })

  test('a file that an agent can write is refused when it is a pipe, without waiting for a writer', async () => {
    await run('mkfifo', [inside('pipe')])
    await expect(read(inside('pipe'))).rejects.toThrow(UntrustedFile)
  })

  test.each(['/dev/zero', '/dev/stdin', '/dev/null'])(
    'a file that an agent can write is refused when it is a link to %s',
    async (device) => {
      const path = inside(`link-${device.replaceAll('/', '-')}`)
      await symlink(device, path)
      await expect(read(path)).rejects.toThrow(/is a link/)
    },
  )

  test('a file that an agent can write is refused when it is a device itself', async () => {
    await expect(readUntrusted('/dev/zero', { within: '/dev', maxBytes: 1000 })).rejects.toThrow(/not a regular file/)
  })

  test('a file that an agent can write is refused when it is a folder', async () => {
    await expect(read(inside('deep'))).rejects.toThrow(/not a regular file/)
  })

  test('a file that an agent can write is refused when a folder of its path is a link that leads out', async () => {
    await symlink(join(folder, 'outside'), inside('way-out'))
    await expect(read(inside('way-out/secret'))).rejects.toThrow(/leads out of its folder/)
  })

  test('a file that an agent can write is refused when it is larger than the limit, without reading it', async () => {
    await writeFile(inside('large'), '')
    await truncate(inside('large'), 100 * 2 ** 30)
    await expect(read(inside('large'), 2 ** 20)).rejects.toThrow(/at most 1048576/)
  })

  test('a file that an agent can write is named by its path within the folder, so that an error shows no path of the host', async () => {
    await expect(read(inside('deep'))).rejects.toThrow(/^deep is not a regular file$/)
  })

  test.runIf(process.platform === 'linux')(
    'a file that an agent can write leaves no handle open when it is refused',
    async () => {
      const before = (await readdir('/proc/self/fd')).length
      for (let tries = 0; tries < 50; tries += 1) {
        await openUntrusted(inside('deep'), { within: folder, maxBytes: 10 }).catch(() => undefined)
      }
      expect((await readdir('/proc/self/fd')).length).toBeLessThan(before + 25)
    },
  )
})
