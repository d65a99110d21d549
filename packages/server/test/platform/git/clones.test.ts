import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openClones } from '../../../src/platform/git/clones.ts'
import { parseRepositoryAddress } from '../../../src/platform/git/repository-address.ts'
import { startForge } from './forge.ts'
import { failureOf, isThere, openPlayground, type Playground } from './playground.ts'

describe('a clone', () => {
  test('a clone has the branch checked out, tracking the real repository as its origin', async () => {
    const { playground, clones } = await open()
    const source = await playground.makeSource()
    await playground.git(source, 'checkout', '--quiet', '-b', 'feature/one')
    const tip = await playground.commit(source, { 'src/one.txt': 'one' })
    await playground.git(source, 'tag', 'v1')
    await playground.git(source, 'checkout', '--quiet', 'main')

    const clone = await clones.create({ name: 'a', address: parseRepositoryAddress(source), branch: 'feature/one' })

    expect(clone).toEqual({ path: join(playground.path, 'clones', 'a'), commit: tip })
    expect(await readFile(join(clone.path, 'src/one.txt'), 'utf8')).toBe('one')
    expect(await playground.git(clone.path, 'status', '--short', '--branch')).toBe(
      '## feature/one...origin/feature/one',
    )
    expect(await playground.git(clone.path, 'remote', 'get-url', 'origin')).toBe(source)
    expect(await playground.git(clone.path, 'branch', '--remotes', '--format=%(refname:short)')).toContain(
      'origin/main',
    )
    expect(await playground.git(clone.path, 'tag')).toBe('v1')
  })

  test('a clone can push to its origin and pull from it', async () => {
    const { playground, clones } = await open()
    const bare = await makeBare(playground)
    const clone = await clones.create({ name: 'a', address: parseRepositoryAddress(bare), branch: 'main' })

    const pushed = await playground.commit(clone.path, { 'new.txt': 'new' })
    await playground.git(clone.path, 'push', '--quiet')
    await playground.git(clone.path, 'pull', '--quiet')

    expect(await playground.git(bare, 'rev-parse', 'main')).toBe(pushed)
  })

  test('a clone survives the loss of the mirror it was made from', async () => {
    const { playground, clones } = await open()
    const source = await playground.makeSource()
    const clone = await clones.create({ name: 'a', address: parseRepositoryAddress(source), branch: 'main' })

    await removeMirrors(playground)

    expect(await playground.git(clone.path, 'fsck', '--full')).toBe('')
    expect(await isThere(join(clone.path, '.git/objects/info/alternates'))).toBe(false)
  })

  test('a clone by file URL and by path share one mirror', async () => {
    const { playground, clones } = await open()
    const source = await playground.makeSource()

    await clones.create({ name: 'a', address: parseRepositoryAddress(`file://${source}/`), branch: 'main' })
    await clones.create({ name: 'b', address: parseRepositoryAddress(source), branch: 'main' })

    expect(await mirrorNames(playground)).toHaveLength(1)
  })

  test('a clone has changes made after the mirror was created: new, moved, renamed and deleted branches', async () => {
    const { playground, clones } = await open()
    const source = await playground.makeSource()
    await playground.git(source, 'branch', 'topic')
    const address = parseRepositoryAddress(source)
    await clones.create({ name: 'a', address, branch: 'topic' })

    await playground.git(source, 'branch', '--delete', 'topic')
    await playground.git(source, 'branch', 'topic/below')
    await playground.git(source, 'commit', '--quiet', '--amend', '--message', 'Rewritten')
    const clone = await clones.create({ name: 'b', address, branch: 'main' })

    expect(clone.commit).toBe(await playground.git(source, 'rev-parse', 'main'))
    expect(await playground.git(clone.path, 'branch', '--remotes', '--format=%(refname)')).toContain('topic/below')
    expect(await failureOf(clones.create({ name: 'c', address, branch: 'topic' }))).toMatchObject({
      kind: 'no_such_ref',
    })
  })

  test('a clone succeeds after the default branch of the repository was renamed', async () => {
    const { playground, clones } = await open()
    const source = await playground.makeSource()
    const address = parseRepositoryAddress(source)
    await clones.create({ name: 'a', address, branch: 'main' })

    await playground.git(source, 'branch', '--move', 'main', 'trunk')
    const clone = await clones.create({ name: 'b', address, branch: 'trunk' })

    expect(await playground.git(clone.path, 'status', '--short', '--branch')).toBe('## trunk...origin/trunk')
  })

  test('a clone of a shallow repository is shallow', async () => {
    const { playground, clones } = await open()
    const source = await playground.makeSource()
    await playground.commit(source, { 'two.txt': 'two' })
    const shallow = join(playground.path, 'shallow')
    await playground.git(playground.path, 'clone', '--quiet', '--depth=1', `file://${source}`, shallow)
    const address = parseRepositoryAddress(shallow)

    await clones.create({ name: 'a', address, branch: 'main' })
    await playground.commit(shallow, { 'three.txt': 'three' })
    const second = await clones.create({ name: 'b', address, branch: 'main' })

    expect(await readFile(join(second.path, 'three.txt'), 'utf8')).toBe('three')
    expect(await playground.git(second.path, 'rev-list', '--count', 'HEAD')).toBe('2')
  })

  test('a clone of a repository with SHA-256 object names succeeds', async () => {
    const { playground, clones } = await open()
    const source = join(playground.path, 'sha256')
    await playground.git(playground.path, 'init', '--quiet', '--object-format=sha256', '--initial-branch=main', source)
    const tip = await playground.commit(source, { 'one.txt': 'one' })

    const clone = await clones.create({ name: 'a', address: parseRepositoryAddress(source), branch: 'main' })

    expect(clone.commit).toBe(tip)
  })

  test('a clone of a missing branch fails with branch and repository in the message and leaves no files', async () => {
    const { playground, clones } = await open()
    const source = await playground.makeSource()
    await playground.git(source, 'tag', 'release')
    const address = parseRepositoryAddress(source)

    for (const branch of ['absent', 'release', await playground.git(source, 'rev-parse', 'HEAD')]) {
      expect(await failureOf(clones.create({ name: 'a', address, branch }))).toMatchObject({
        kind: 'no_such_ref',
        isRetryable: false,
        reason: `there is no branch ${branch} in ${source}`,
      })
    }
    expect(await isThere(join(playground.path, 'clones', 'a'))).toBe(false)
    expect(await isThere(join(playground.path, 'clones', 'a.partial'))).toBe(false)
  })

  test('a clone of an empty repository has an unborn branch, and the first push creates it in the repository', async () => {
    const { playground, clones } = await open()
    const bare = join(playground.path, 'empty.git')
    await playground.git(playground.path, 'init', '--quiet', '--bare', '--initial-branch=other', bare)
    const address = parseRepositoryAddress(bare)

    const clone = await clones.create({ name: 'a', address, branch: 'work' })

    expect(clone.commit).toBeNull()
    const first = await playground.commit(clone.path, { 'first.txt': 'first' })
    await playground.git(clone.path, 'push', '--quiet')
    expect(await playground.git(bare, 'rev-parse', 'refs/heads/work')).toBe(first)
    expect(await clones.create({ name: 'b', address, branch: 'work' })).toMatchObject({ commit: first })
  })

  test('a clone of a folder that is not a repository fails with not_found', async () => {
    const { playground, clones } = await open()
    for (const path of [join(playground.path, 'absent'), playground.home]) {
      const failure = await failureOf(
        clones.create({ name: 'a', address: parseRepositoryAddress(path), branch: 'main' }),
      )

      expect(failure).toMatchObject({ kind: 'not_found', operation: `Cloning ${path}` })
    }
  })

  test('a clone is refused where the path already exists', async () => {
    const { playground, clones } = await open()
    const address = parseRepositoryAddress(await playground.makeSource())
    await clones.create({ name: 'a', address, branch: 'main' })

    expect(await failureOf(clones.create({ name: 'a', address, branch: 'main' }))).toMatchObject({ kind: 'refused' })
  })

  test('a clone replaces the leftovers of an interrupted attempt', async () => {
    const { playground, clones } = await open()
    const address = parseRepositoryAddress(await playground.makeSource())
    await clones.create({ name: 'a', address, branch: 'main' })
    await playground.git(playground.path, 'init', '--quiet', join(playground.path, 'clones', 'b.partial'))

    const clone = await clones.create({ name: 'b', address, branch: 'main' })

    expect(await playground.git(clone.path, 'status', '--short')).toBe('')
    expect(await isThere(`${clone.path}.partial`)).toBe(false)
  })

  test.each(['', '.', '..', '../a', 'a/b', '.hidden', '-a', 'a.partial', 'a\0'])(
    'a clone cannot be named %j',
    async (name) => {
      const { playground, clones } = await open()
      const address = parseRepositoryAddress(playground.home)

      expect(await failureOf(clones.create({ name, address, branch: 'main' }))).toMatchObject({ name: 'Error' })
    },
  )
})

describe('the second clone of a repository', () => {
  test('the second clone of a repository fetches only new objects', async () => {
    const { playground, clones } = await open()
    const source = await playground.makeSource()
    // Random, so that packing does not compress it.
    await playground.commit(source, {
      'large.txt': Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('hex'),
    })
    const forge = await startForge({ root: playground.path })
    const address = parseRepositoryAddress(`${forge.origin}/source/.git`)

    await clones.create({ name: 'a', address, branch: 'main' })
    const sentForFirst = forge.sentBytes()
    const tip = await playground.commit(source, { 'small.txt': 'small' })
    const second = await clones.create({ name: 'b', address, branch: 'main' })

    expect(second.commit).toBe(tip)
    expect(sentForFirst).toBeGreaterThan(60_000)
    expect(forge.sentBytes() - sentForFirst).toBeLessThan(10_000)
  })

  test('the second clone of a repository checks out what the repository has, after an agent edited the packs of the first in place', async () => {
    const { playground, clones } = await open()
    const source = await playground.makeSource()
    await playground.commit(source, { 'large.txt': 'large\n'.repeat(10_000) })
    const address = parseRepositoryAddress(source)
    const first = await clones.create({ name: 'a', address, branch: 'main' })
    const before = await clones.create({ name: 'b', address, branch: 'main' })

    for (const path of await objectFiles(first.path)) {
      await chmod(path, 0o600)
      await writeFile(path, 'overwritten', { flag: 'r+' })
    }

    const after = await clones.create({ name: 'c', address, branch: 'main' })
    for (const { path } of [before, after]) {
      expect(await playground.git(path, 'fsck', '--full')).toBe('')
      await playground.git(path, 'checkout', '--force', 'HEAD', '--', '.')
      expect(await readFile(join(path, 'large.txt'), 'utf8')).toBe('large\n'.repeat(10_000))
    }
    expect(await failureOf(playground.git(first.path, 'fsck', '--full'))).toBeInstanceOf(Error)
  })

  test('the second clone of a repository shares no inode with the first or with the mirror', async () => {
    const { playground, clones } = await open()
    const address = parseRepositoryAddress(await playground.makeSource())
    const made = [
      await clones.create({ name: 'a', address, branch: 'main' }),
      await clones.create({ name: 'b', address, branch: 'main' }),
    ]
    for (const { path } of made) {
      const links = await Promise.all((await objectFiles(path)).map(async (file) => (await stat(file)).nlink))
      expect(new Set(links)).toEqual(new Set([1]))
    }
  })

  test('the second clone of a repository fails when the repository is unreachable, instead of serving stale code', async () => {
    const { playground, clones } = await open()
    await playground.makeSource()
    const forge = await startForge({ root: playground.path })
    const address = parseRepositoryAddress(`${forge.origin}/source/.git`)
    await clones.create({ name: 'a', address, branch: 'main' })

    await forge.close()

    expect(await failureOf(clones.create({ name: 'b', address, branch: 'main' }))).toMatchObject({
      kind: 'network',
      isRetryable: true,
    })
  })
})

describe('removing a clone', () => {
  test('removing a clone removes it and its leftovers, and is idempotent', async () => {
    const { playground, clones } = await open()
    const address = parseRepositoryAddress(await playground.makeSource())
    const { path } = await clones.create({ name: 'a', address, branch: 'main' })
    await playground.git(playground.path, 'init', '--quiet', `${path}.partial`)

    await clones.remove(path)
    await clones.remove(path)

    expect(await isThere(path)).toBe(false)
    expect(await isThere(`${path}.partial`)).toBe(false)
  })

  test('removing a clone rejects every path that is not directly inside the folder of the clones', async () => {
    const { playground, clones } = await open()
    const address = parseRepositoryAddress(await playground.makeSource())
    const { path } = await clones.create({ name: 'a', address, branch: 'main' })
    const root = join(playground.path, 'clones')
    const outside = [root, `${root}/`, `${root}/.`, `${root}/..`, `${path}/..`, `${path}/../../home`, `${path}/.git`]

    for (const wrong of [...outside, playground.home, 'clones/a', 'a', '', '/', `${path}\0`]) {
      expect(await failureOf(clones.remove(wrong)), wrong).toMatchObject({ name: 'PathRefused' })
    }
    expect(await isThere(join(path, 'README.md'))).toBe(true)
    expect(await isThere(playground.home)).toBe(true)
  })

  test('removing a clone removes a link at the path and not its target', async () => {
    const { playground, clones } = await open()
    const address = parseRepositoryAddress(await playground.makeSource())
    await clones.create({ name: 'a', address, branch: 'main' })
    await writeFile(join(playground.home, 'precious'), 'mine')
    await symlink(playground.home, join(playground.path, 'clones', 'b'))

    await clones.remove(join(playground.path, 'clones', 'b'))

    expect(await isThere(join(playground.home, 'precious'))).toBe(true)
    expect(await isThere(join(playground.path, 'clones', 'b'))).toBe(false)
  })
})

async function open() {
  const playground = await openPlayground()
  const clones = openClones({
    root: join(playground.path, 'clones'),
    mirrorsRoot: join(playground.path, 'mirrors'),
  })
  return { playground, clones }
}

async function makeBare(playground: Playground): Promise<string> {
  const source = await playground.makeSource()
  const bare = join(playground.path, 'bare.git')
  await playground.git(playground.path, 'clone', '--quiet', '--bare', source, bare)
  return bare
}

async function mirrorNames(playground: Playground): Promise<string[]> {
  return (await readdir(join(playground.path, 'mirrors'))).filter((name) => name.endsWith('.git'))
}

async function removeMirrors(playground: Playground): Promise<void> {
  await rm(join(playground.path, 'mirrors'), { recursive: true })
}

async function objectFiles(clone: string): Promise<string[]> {
  const entries = await readdir(join(clone, '.git/objects'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
