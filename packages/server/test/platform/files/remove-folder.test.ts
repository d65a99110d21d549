import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../src/platform/files/remove-folder.ts'

let folder = ''
beforeEach(async () => {
  const made = await mkdtemp(join(tmpdir(), 'yardmaster-remove-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  folder = made
})

const at = (...names: string[]) => join(folder, ...names)
const names = async () => (await readdir(folder)).sort()

test('removes a folder with files, folders, links and pipes, and nothing that the links lead to', async () => {
  await mkdir(at('outside'))
  await writeFile(at('outside', 'file'), 'ours')
  await mkdir(at('clone', 'one', 'two'), { recursive: true })
  await mkdir(at('clone', 'empty'))
  await writeFile(at('clone', 'one', 'two', 'file'), 'text')
  await symlink(at('outside'), at('clone', 'one', 'link'))
  await shell(`mkfifo ${at('clone', 'pipe')}`)
  await removeFolder(at('clone'))
  expect(await names()).toEqual(['outside'])
  expect(await readdir(at('outside'))).toEqual(['file'])
})

test('removes a single file, the link and not what it leads to, and nothing at all', async () => {
  await writeFile(at('file'), 'text')
  await mkdir(at('target'))
  await symlink(at('target'), at('link'))
  for (const name of ['file', 'link', 'missing']) await removeFolder(at(name))
  expect(await names()).toEqual(['target'])
})

test('removes a folder whose paths are longer than the system allows', async () => {
  await mkdir(at('clone'))
  await shell(`cd ${at('clone')}; for i in $(seq 60); do mkdir ${longName}; cd -P ${longName}; touch file; done`)
  await removeFolder(at('clone'))
  expect(await names()).toEqual([])
})

test('removes folders that their owner may not read or write', async () => {
  await mkdir(at('clone', 'read-only', 'deep'), { recursive: true })
  await writeFile(at('clone', 'read-only', 'deep', 'file'), 'text')
  await mkdir(at('clone', 'closed', 'deep'), { recursive: true })
  for (const name of ['read-only/deep', 'read-only', 'closed/deep', 'closed']) {
    await chmod(at('clone', name), name.startsWith('closed') ? 0o000 : 0o555)
  }
  await asOrdinaryUser(() => removeFolder(at('clone')))
  expect(await names()).toEqual([])
})

test('removes nothing elsewhere while a process replaces folders by links', async () => {
  await mkdir(at('outside'))
  const files = Array.from({ length: 200 }, (_, index) => `file-${index}`)
  for (const name of files) await writeFile(at('outside', name), 'ours')
  const rounds = 8
  for (let round = 0; round < rounds; round += 1) {
    await mkdir(at('clone', 'sub'), { recursive: true })
    for (const name of files) await writeFile(at('clone', 'sub', name), 'bait')
    const racer = spawn('sh', [
      '-c',
      `cd ${at('clone')}; while mv sub moved; do ln -s ${at('outside')} sub; rm sub; mv moved sub; done`,
    ])
    const ended = once(racer, 'exit')
    await removeFolder(at('clone'))
    await ended
    await rm(at('clone'), { recursive: true, force: true })
    expect(await readdir(at('outside'))).toHaveLength(files.length)
  }
  expect((await lstat(at('outside'))).isDirectory()).toBe(true)
})

const longName = 'd'.repeat(200)

async function shell(script: string): Promise<void> {
  const child = spawn('bash', ['-c', script], { stdio: 'inherit' })
  expect(await once(child, 'exit')).toEqual([0, null])
}

/** Root may do everything, so as root the test becomes `nobody` for a while. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work()
  await shell(`chown -R 65534 ${folder}`)
  process.seteuid?.(65534)
  try {
    await work()
  } finally {
    process.seteuid?.(0)
  }
}
