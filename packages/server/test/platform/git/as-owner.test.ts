import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { asOwner } from '../../../src/platform/git/as-owner.ts'
import { openClones } from '../../../src/platform/git/clones.ts'
import { ownDiskAccess, runGit } from '../../../src/platform/git/git.ts'
import { parseRepositoryAddress } from '../../../src/platform/git/repository-address.ts'
import { failureOf, isThere, openPlayground } from './playground.ts'

const execute = promisify(execFile)

/** One that this machine knows, and one that has only a number. */
const strangers = [65_534, 54_321]

describe.runIf(process.geteuid?.() === 0)('a server that runs as root', () => {
  test.each(strangers)('clones and fetches a repository of user %i', async (uid) => {
    const { playground, source, clone } = await openFor(uid)
    expect(await readFile(join((await clone()).path, 'README.md'), 'utf8')).toBe('This is source\n')
    await give(source, 0)
    await playground.commit(source, { 'a.txt': 'later' })
    await give(source, uid)
    expect(await readFile(join((await clone()).path, 'a.txt'), 'utf8')).toBe('later')
  })

  test('clones a repository of another user below a folder that only root may enter', async () => {
    const { playground, clone } = await openFor(54_321)
    await chmod(playground.path, 0o700)
    expect(await isThere(join((await clone()).path, 'README.md'))).toBe(true)
  })

  test('clones a work tree of another user whose .git is a file', async () => {
    const { playground, source, clone } = await openFor(54_321)
    const kept = join(playground.path, 'kept.git')
    await rename(join(source, '.git'), kept)
    await writeFile(join(source, '.git'), `gitdir: ${kept}\n`)
    await give(source, 54_321)
    await give(kept, 54_321)
    expect(await isThere(join((await clone()).path, 'README.md'))).toBe(true)
  })

  test('runs nothing as root that another user planted in a repository', async () => {
    const { playground, source, clone } = await openFor(0)
    const witness = join(playground.path, 'witness')
    await mkdir(witness, { mode: 0o777 })
    await chmod(witness, 0o777)
    const script = join(playground.path, 'planted.sh')
    await writeFile(script, `#!/bin/sh\nid -u >> ${witness}/ran\nexec "$@"\n`, { mode: 0o755 })
    for (const key of [
      'uploadpack.packObjectsHook',
      'core.fsmonitor',
      'core.sshCommand',
      'core.gitProxy',
      'core.pager',
    ])
      await playground.git(source, 'config', key, script)
    await playground.git(source, 'config', 'safe.directory', '*')
    await playground.git(source, 'config', 'core.hooksPath', join(source, '.git/hooks'))
    for (const hook of ['post-upload-pack', 'pre-upload-pack', 'reference-transaction', 'post-checkout']) {
      const path = join(source, '.git/hooks', hook)
      await mkdir(join(source, '.git/hooks'), { recursive: true })
      await writeFile(path, `#!/bin/sh\nid -u >> ${witness}/ran\n`, { mode: 0o755 })
    }
    await give(source, 54_321)
    await clone()
    await clone()
    const ran = await readFile(join(witness, 'ran'), 'utf8').catch(() => '')
    expect(ran).toBe('')
  })

  test('gives the owner of a repository nothing of its environment', async () => {
    const { address } = await openFor(54_321)
    process.env.GITHUB_TOKEN = 'of-the-operator'
    try {
      const [option = ''] = await asOwner(address)
      expect(option).toContain('env -i')
      expect(option).not.toContain('of-the-operator')
    } finally {
      delete process.env.GITHUB_TOKEN
    }
  })

  test('reads nothing of root if a folder is exchanged for a link to a repository of root after its owner was read', async () => {
    const { playground, source, address } = await openFor(54_321)
    const secret = await playground.makeSource('secret')
    const options = await asOwner(address)
    await exchange(source, secret)
    expect(await failureOf(fetch(playground.path, source, options))).toMatchObject({ kind: 'refused' })
  })

  test('refuses a folder of root that is exchanged for a repository of another user after its owner was read', async () => {
    const { playground, source, address } = await openFor(0)
    const planted = await playground.makeSource('planted')
    await give(planted, 54_321)
    const options = await asOwner(address)
    expect(options).toEqual([])
    await exchange(source, planted)
    expect(await failureOf(fetch(playground.path, source, options))).toMatchObject({ kind: 'refused' })
  })
})

async function openFor(uid: number) {
  const playground = await openPlayground()
  await chmod(playground.path, 0o711)
  const source = await playground.makeSource()
  await give(source, uid)
  const address = parseRepositoryAddress(source)
  const clones = openClones({ root: join(playground.path, 'clones'), mirrorsRoot: join(playground.path, 'mirrors') })
  let count = 0
  const clone = () => {
    count += 1
    return clones.create({ name: `clone-${count}`, address, branch: 'main' })
  }
  return { playground, source, address, clone }
}

async function give(folder: string, uid: number): Promise<void> {
  await execute('chown', ['-R', `${uid}:${uid}`, folder])
}

async function exchange(path: string, target: string): Promise<void> {
  await rename(path, `${path}.gone`)
  await symlink(target, path)
}

/** As a mirror fetches, between the look at the owner and the fetch. */
async function fetch(folder: string, source: string, options: readonly string[]): Promise<string> {
  return runGit({
    operation: 'Cloning',
    subcommand: 'clone',
    options: ['--bare', '--quiet', '--no-local', '--template=', ...options],
    operands: [source, join(folder, 'copy.git')],
    access: ownDiskAccess,
    timeoutMs: 30_000,
  })
}
