import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { UntrustedFile } from '../../../src/platform/files/untrusted-file.ts'
import { openClones } from '../../../src/platform/git/clones.ts'
import { parseRepositoryAddress } from '../../../src/platform/git/repository-address.ts'
import { failureOf, isThere, openPlayground } from './playground.ts'

const run = promisify(execFile)

describe('a clone holds work', () => {
  test('a clone holds no work when it is as it was made', async () => {
    const { holdsWork, clonesFolder } = await open()
    expect(await holdsWork()).toBe(false)
    expect(await readdir(clonesFolder)).toEqual(['a'])
  })

  test.each<[string, (setting: Setting) => Promise<unknown>]>([
    ['a changed file', ({ file }) => writeFile(file('README.md'), 'changed')],
    ['a removed file', ({ file }) => rm(file('README.md'))],
    ['an untracked file', ({ file }) => writeFile(file('new.txt'), 'new')],
    [
      'a staged change that the file no longer shows',
      async ({ file, git }) => {
        await writeFile(file('README.md'), 'staged')
        await git('add', '--all')
        await git('restore', '--source=HEAD', 'README.md')
      },
    ],
    ['a commit', ({ git }) => git('commit', '--quiet', '--allow-empty', '--message', 'Mine')],
    [
      'a commit on another branch, among packed refs',
      async ({ git }) => {
        await git('checkout', '--quiet', '-b', 'other')
        await git('commit', '--quiet', '--allow-empty', '--message', 'Mine')
        await git('checkout', '--quiet', 'main')
        await git('pack-refs', '--all')
      },
    ],
    [
      'a commit on no branch',
      async ({ git }) => {
        await git('checkout', '--quiet', '--detach')
        await git('commit', '--quiet', '--allow-empty', '--message', 'Mine')
      },
    ],
    [
      'a stash',
      async ({ file, git }) => {
        await writeFile(file('README.md'), 'stashed')
        await git('stash', '--quiet')
      },
    ],
    [
      'a submodule that the agent filled',
      async ({ file, git }) => {
        await git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},part`)
        await mkdir(file('part'))
        await writeFile(file('part/work.txt'), 'work')
      },
    ],
  ])('a clone holds work when it has %s', async (_, change) => {
    const setting = await open()
    await change(setting)
    expect(await setting.holdsWork()).toBe(true)
  })

  test('a clone holds work when a file was changed in the second of the last checkout and kept its size', async () => {
    const { file, git, holdsWork } = await open()
    const secondOf = async (name: string) => Math.floor((await stat(file(name))).ctimeMs / 1000)
    do {
      await rm(file('README.md'))
      await git('checkout', '--quiet', 'HEAD', 'README.md')
      await writeFile(file('README.md'), 'This is SOURCE\n')
    } while ((await secondOf('.git/index')) !== (await secondOf('README.md')))
    // The copy of the index is made in a later second.
    await wait(1100)
    expect(await holdsWork()).toBe(true)
  })

  test('a clone holds no work by files that it ignores, in the tree or in its git folder', async () => {
    const { holdsWork, file } = await open({ '.gitignore': '*.log\n' })
    await mkdir(file('.git/info'), { recursive: true })
    await writeFile(file('.git/info/exclude'), 'private\n')
    await writeFile(file('build.log'), 'log')
    await writeFile(file('private'), 'private')
    expect(await holdsWork()).toBe(false)
  })

  test('a clone holds no work when its repository is shallow or names objects by SHA-256', async () => {
    const { playground, clones } = await open()
    const sha256 = join(playground.path, 'sha256')
    await playground.git(playground.path, 'init', '--quiet', '--object-format=sha256', '--initial-branch=main', sha256)
    await playground.commit(sha256, { 'one.txt': 'one' })
    await playground.commit(sha256, { 'two.txt': 'two' })
    const shallow = join(playground.path, 'shallow')
    await playground.git(playground.path, 'clone', '--quiet', '--depth=1', `file://${sha256}`, shallow)
    for (const source of [sha256, shallow]) {
      const name = source === shallow ? 'shallow' : 'long'
      const { path } = await clones.create({ name, address: parseRepositoryAddress(source), branch: 'main' })
      expect(await clones.holdsWork(path)).toBe(false)
    }
  })
})

describe('looking for work runs no program that the agent planted', () => {
  test('looking for work runs no program that the agent planted in the configuration of the clone, a file it includes, or its attributes', async () => {
    const { playground, file, git, holdsWork } = await open({ '.gitattributes': '* filter=evil diff=evil\n' })
    const canary = join(playground.path, 'canary')
    const program = join(playground.path, 'program.sh')
    await writeFile(program, `#!/bin/sh\ntouch ${canary}\ncat\n`, { mode: 0o755 })
    const settings = [
      'filter.evil.clean',
      'filter.evil.process',
      'diff.evil.textconv',
      'diff.external',
      'core.fsmonitor',
      'gpg.program',
      'core.sshCommand',
      'credential.helper',
      'core.pager',
      'core.editor',
    ]
    for (const name of settings) await git('config', name, program)
    await git('config', 'log.showSignature', 'true')
    await git('config', 'filter.evil.required', 'true')
    await git('config', 'core.hooksPath', join(playground.path))
    await writeFile(join(playground.path, 'included'), `[filter "evil"]\n\tclean = ${program}\n`)
    await git('config', 'includeIf.gitdir:/.path', join(playground.path, 'included'))
    // A new time stamp, so that git compares the content.
    await writeFile(file('README.md'), 'This is SOURCE\n')

    expect(await holdsWork()).toBe(true)
    expect(await isThere(canary)).toBe(false)
  })

  test('looking for work runs no program that the agent planted in the git folder of a submodule', async () => {
    const { playground, file, git, holdsWork } = await open()
    const canary = join(playground.path, 'canary')
    const part = file('part')
    await mkdir(part)
    await playground.git(part, 'init', '--quiet')
    await playground.commit(part, { 'a.txt': 'a' })
    await git('add', '--all')
    await playground.git(part, 'config', 'core.fsmonitor', `touch ${canary}`)

    expect(await holdsWork()).toBe(true)
    expect(await isThere(canary)).toBe(false)
  })
})

describe('a hostile git folder is refused without waiting', () => {
  test.each<[string, (setting: Setting) => Promise<unknown>]>([
    ['.git is missing', ({ file }) => rm(file('.git'), { recursive: true })],
    [
      '.git is a link',
      async ({ file, playground }) => {
        await rename(file('.git'), join(playground.path, 'elsewhere'))
        await symlink(join(playground.path, 'elsewhere'), file('.git'))
      },
    ],
    [
      '.git is a file that names another folder',
      async ({ file, playground }) => {
        await rename(file('.git'), join(playground.path, 'elsewhere'))
        await writeFile(file('.git'), `gitdir: ${join(playground.path, 'elsewhere')}\n`)
      },
    ],
    ['HEAD is a pipe', ({ file }) => plantPipe(file('.git/HEAD'))],
    ['HEAD is an option', ({ file }) => writeFile(file('.git/HEAD'), '--output=/tmp/x\n')],
    ['the index is a pipe', ({ file }) => plantPipe(file('.git/index'))],
    ['packed-refs is a device', ({ file }) => plantLink('/dev/zero', file('.git/packed-refs'))],
    ['a ref is a pipe', ({ file }) => plantPipe(file('.git/refs/heads/main'))],
    ['refs leads elsewhere', ({ file }) => plantLink('/etc', file('.git/refs'))],
    [
      'it borrows objects',
      async ({ file }) => {
        await mkdir(file('.git/objects/info'), { recursive: true })
        await writeFile(file('.git/objects/info/alternates'), '/elsewhere\n')
      },
    ],
  ])('a hostile git folder is refused without waiting when %s', async (_, plant) => {
    const setting = await open()
    await plant(setting)
    expect(await failureOf(setting.holdsWork())).toBeInstanceOf(UntrustedFile)
  })

  test('the configuration of a hostile git folder is ignored without waiting when it is a pipe', async () => {
    const { file, holdsWork } = await open()
    await plantPipe(file('.git/config'))
    expect(await holdsWork()).toBe(false)
  })
})

type Setting = Awaited<ReturnType<typeof open>>

async function open(files: Record<string, string> = {}) {
  const playground = await openPlayground()
  const source = await playground.makeSource()
  await playground.commit(source, files)
  const clonesFolder = join(playground.path, 'clones')
  const clones = openClones({ root: clonesFolder, mirrorsRoot: join(playground.path, 'mirrors') })
  const { path } = await clones.create({ name: 'a', address: parseRepositoryAddress(source), branch: 'main' })
  return {
    playground,
    clones,
    clonesFolder,
    file: (name: string) => join(path, name),
    git: (...args: string[]) => playground.git(path, ...args),
    holdsWork: () => clones.holdsWork(path),
  }
}

async function plantPipe(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  await run('mkfifo', [path])
}

async function plantLink(target: string, path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  await symlink(target, path)
}
