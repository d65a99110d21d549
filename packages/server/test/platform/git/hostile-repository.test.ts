import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveInside } from '../../../src/platform/contained-path.ts'
import { openClones } from '../../../src/platform/git/clones.ts'
import { parseRepositoryAddress } from '../../../src/platform/git/repository-address.ts'
import { failureOf, isThere, openPlayground, type Playground } from './playground.ts'

describe('cloning runs no program that the repository defines', () => {
  test('hooks, in its git folder and in its tree', async () => {
    const { playground, canary, source, clone } = await open()
    const script = `#!/bin/sh\ntouch ${canary}\n`
    const hooks = ['post-checkout', 'post-merge', 'reference-transaction', 'pre-auto-gc', 'post-index-change', 'update']
    for (const name of hooks) {
      await writeExecutable(join(source, '.git/hooks', name), script)
      await mkdir(join(source, 'hooks'), { recursive: true })
      await writeExecutable(join(source, 'hooks', name), script)
    }
    await playground.git(source, '-c', 'core.hooksPath=/dev/null', 'add', '--all')
    await playground.git(source, '-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '--message', 'Hooks')
    await playground.git(source, 'config', 'core.hooksPath', join(source, '.git/hooks'))
    await rm(canary, { force: true })

    const first = await clone()
    await clone()

    expect(await isThere(canary)).toBe(false)
    expect(await isThere(join(first.path, '.git/hooks'))).toBe(false)
    const mirror = `${parseRepositoryAddress(source).mirrorKey}.git`
    expect(await isThere(join(playground.path, 'mirrors', mirror, 'hooks'))).toBe(false)
  })

  test('cloning runs no filter or diff driver that .gitattributes names and the configuration of the repository defines', async () => {
    const { playground, canary, source, clone } = await open()
    await playground.commit(source, { '.gitattributes': '* filter=evil diff=evil merge=evil\n', 'a.txt': 'plain' })
    for (const key of ['filter.evil.smudge', 'filter.evil.clean', 'filter.evil.process', 'diff.evil.textconv']) {
      await playground.git(source, 'config', key, `touch ${canary}`)
    }
    await playground.git(source, 'config', 'filter.evil.required', 'true')

    const { path } = await clone()

    expect(await readFile(join(path, 'a.txt'), 'utf8')).toBe('plain')
    expect(await isThere(canary)).toBe(false)
  })

  test('cloning runs no filter that .gitattributes names and the operator has defined', async () => {
    const { playground, canary, source, clone } = await open()
    await playground.commit(source, { '.gitattributes': '* filter=lfs\n', 'a.txt': 'plain' })
    await writeFile(
      join(playground.home, '.gitconfig'),
      `[filter "lfs"]\n\tsmudge = touch ${canary}\n\tprocess = touch ${canary}\n\trequired = true\n`,
    )

    const { path } = await clone()

    expect(await readFile(join(path, 'a.txt'), 'utf8')).toBe('plain')
    expect(await isThere(canary)).toBe(false)
  })

  test("cloning runs no hook or template from the operator's own configuration", async () => {
    const { playground, canary, source, clone } = await open()
    await playground.commit(source, { 'a.txt': 'plain' })
    const hooks = join(playground.home, 'template/hooks')
    await mkdir(hooks, { recursive: true })
    for (const name of ['post-checkout', 'reference-transaction']) {
      await writeExecutable(join(hooks, name), `#!/bin/sh\ntouch ${canary}\n`)
    }
    await writeFile(
      join(playground.home, '.gitconfig'),
      `[core]\n\thooksPath = ${hooks}\n[init]\n\ttemplateDir = ${join(hooks, '..')}\n`,
    )

    await clone()
    await playground.commit(source, { 'a.txt': 'changed' })
    await clone()

    expect(await isThere(canary)).toBe(false)
  })

  test('a submodule is not fetched, whatever its address', async () => {
    const { playground, canary, source, clone } = await open()
    const inner = await playground.makeSource('inner')
    await playground.git(source, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'inner')
    await writeFile(
      join(source, '.gitmodules'),
      `[submodule "inner"]\n\tpath = inner\n\turl = ext::touch ${canary}\n\tupdate = !touch ${canary}\n`,
    )
    await playground.commit(source, {})

    const { path } = await clone()

    expect(await isThere(join(path, 'inner/README.md'))).toBe(false)
    expect(await isThere(canary)).toBe(false)
  })

  test('a file system monitor and other programs in its configuration', async () => {
    const { playground, canary, source, clone } = await open()
    const keys = [
      'core.fsmonitor',
      'core.sshCommand',
      'core.gitProxy',
      'core.pager',
      'core.editor',
      'core.askPass',
      'core.alternateRefsCommand',
      'credential.helper',
      'diff.external',
      'uploadpack.packObjectsHook',
      'gpg.program',
    ]
    for (const key of keys) await playground.git(source, 'config', key, `touch ${canary}; false`)

    await clone()
    await playground.git(source, 'branch', 'another')
    await clone()

    expect(await isThere(canary)).toBe(false)
  })

  test('the remote from which a partial clone would fetch missing objects', async () => {
    const { playground, canary, source, clone } = await open()
    await playground.commit(source, { 'missing.txt': 'missing' })
    const blob = await playground.git(source, 'rev-parse', 'HEAD:missing.txt')
    await rm(join(source, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true })
    await playground.git(source, 'config', 'extensions.partialClone', 'evil')
    await playground.git(source, 'config', 'remote.evil.promisor', 'true')
    await playground.git(source, 'config', 'remote.evil.uploadpack', `touch ${canary}; false`)

    for (const url of [playground.home, `ext::touch ${canary}`]) {
      await playground.git(source, 'config', 'remote.evil.url', url)
      await failureOf(clone())
    }

    expect(await isThere(canary)).toBe(false)
  })
})

test('a link in the tree cannot make an outside folder the subdirectory', async () => {
  const { playground, source, clone } = await open()
  await mkdir(join(source, 'apps'))
  await symlink(playground.home, join(source, 'apps/absolute'))
  await symlink('../../../home', join(source, 'apps/relative'))
  await playground.commit(source, {})

  const { path } = await clone()

  for (const subdirectory of ['apps/absolute', 'apps/relative', 'apps/../../clone-1', '../..']) {
    const resolving = resolveInside(path, subdirectory, { mustBeDirectory: true })
    expect(await failureOf(resolving), subdirectory).toMatchObject({ name: 'PathRefused', problem: 'outside' })
  }
  expect(await resolveInside(path, 'apps', { mustBeDirectory: true })).toBe(join(path, 'apps'))
})

describe('an address or a branch that tries to inject options or commands', () => {
  const payloads = [
    '--upload-pack=touch CANARY',
    '--upload-pack=touch CANARY;',
    '-u touch CANARY',
    '-utouch CANARY',
    '-c core.sshCommand=touch CANARY',
    '-ccore.fsmonitor=touch CANARY',
    '--config core.gitProxy=touch CANARY',
    '--config=core.sshCommand=touch CANARY',
    '--template=CANARY',
    '--exec=touch CANARY',
    '--separate-git-dir=CANARY',
    '--output=CANARY',
    'ext::sh -c touch% CANARY',
    'ext::touch CANARY',
    'Ext::touch CANARY',
    'EXT::touch CANARY',
    'fd::3',
    'fd::3,4/CANARY',
    'file::touch CANARY',
    'ssh://-oProxyCommand=touch CANARY/web',
    'ssh://-oProxyCommand=touch%20CANARY/web',
    'ssh://git@-oProxyCommand=touch CANARY/web',
    'ssh://%2doProxyCommand=touch%20CANARY/web',
    'ssh+git://-oProxyCommand=touch CANARY/web',
    'git+ssh://-oProxyCommand=touch CANARY/web',
    '-oProxyCommand=touch CANARY:web',
    'git@-oProxyCommand=touch CANARY:web',
    '-oProxyCommand=touch CANARY@host:web',
    'git@host;touch CANARY;:web',
    'git@$(touch CANARY):web',
    '$(touch CANARY)',
    '`touch CANARY`',
    ';touch CANARY',
    '|touch CANARY',
    "';touch CANARY;'",
    'main;touch CANARY',
    'main$(touch CANARY)',
    'main`touch CANARY`',
    'main --upload-pack=touch CANARY',
    'main\n--upload-pack=touch CANARY',
    '\n--upload-pack=touch CANARY',
    'main\0--upload-pack=touch CANARY',
    'SOURCE\n--upload-pack=touch CANARY',
    'SOURCE --upload-pack=touch CANARY',
    'SOURCE;touch CANARY',
    'SOURCE$(touch CANARY)',
    "SOURCE';touch CANARY;'",
    'SOURCE`touch CANARY`',
    'file://SOURCE;touch CANARY',
    'file://SOURCE%0a--upload-pack=touch%20CANARY',
    'http://127.0.0.1:1/$(touch CANARY)',
    'http://`touch CANARY`@127.0.0.1:1/web',
    "http://u:';touch CANARY;'@127.0.0.1:1/web",
    'http://u:$(touch%20CANARY)@127.0.0.1:1/web',
    'http://u:p@127.0.0.1:1/web',
  ]

  test('an address or a branch that tries to inject options or commands creates no canary file, in either position, in any spelling', async () => {
    const { playground, canary, source, clones } = await open()
    const good = parseRepositoryAddress(source)
    let attempts = 0
    for (const payload of payloads) {
      // Once with a path as it is, and once without blanks and slashes, which a ref name cannot contain.
      for (const text of [payload, payload.replace('touch CANARY', 'touch$IFS"CANARY"')]) {
        const hostile = text.replaceAll('CANARY', canary).replaceAll('SOURCE', source)
        const name = `c${attempts}`
        await failureOf(
          (async () => clones.create({ name, address: parseRepositoryAddress(hostile), branch: 'main' }))(),
        )
        await failureOf(clones.create({ name, address: good, branch: hostile }))
        attempts += 2
        expect(await isThere(canary), hostile).toBe(false)
      }
    }
    expect(attempts).toBeGreaterThanOrEqual(200)
    expect(await isThere(join(playground.path, 'clones/c0'))).toBe(false)
  })
})

async function open() {
  const playground = await openPlayground()
  const clones = openClones({
    root: join(playground.path, 'clones'),
    mirrorsRoot: join(playground.path, 'mirrors'),
  })
  const source = await playground.makeSource()
  let count = 0
  const clone = () => {
    count += 1
    return clones.create({ name: `clone-${count}`, address: parseRepositoryAddress(source), branch: 'main' })
  }
  return { playground, clones, clone, source, canary: canaryIn(playground) }
}

function canaryIn(playground: Playground): string {
  return join(playground.path, 'canary')
}

async function writeExecutable(path: string, content: string): Promise<void> {
  await writeFile(path, content)
  await chmod(path, 0o755)
}
