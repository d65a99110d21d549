import { mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openClones } from '../../../src/platform/git/clones.ts'
import { parseRepositoryAddress } from '../../../src/platform/git/repository-address.ts'
import { openPlayground, type Playground } from './playground.ts'

describe('a damaged mirror is rebuilt, and the clones are complete:', () => {
  const damages: Record<string, (mirror: string, playground: Playground) => Promise<void>> = {
    'its HEAD is empty': (mirror) => truncate(join(mirror, 'HEAD')),
    'its objects are gone': (mirror) => rm(join(mirror, 'objects'), { recursive: true }),
    'its packs are cut short': async (mirror) => {
      const folder = join(mirror, 'objects/pack')
      for (const name of await readdir(folder)) {
        if (!name.endsWith('.pack')) continue
        // A copy: damage must not change the clones that share the file by a hard link.
        await writeFile(join(folder, 'damaged'), 'PACK')
        await rename(join(folder, 'damaged'), join(folder, name))
      }
    },
    'the content of a file is lost': async (mirror, playground) => {
      const lost = await playground.git(mirror, 'rev-parse', 'main:README.md')
      const pack = (await readdir(join(mirror, 'objects/pack'))).find((name) => name.endsWith('.pack'))
      await rename(join(mirror, 'objects/pack'), join(playground.path, 'packs'))
      await playground.git(
        mirror,
        '-c',
        'alias.unpack=!git unpack-objects -q <',
        'unpack',
        `${playground.path}/packs/${pack}`,
      )
      await rm(join(mirror, 'objects', lost.slice(0, 2), lost.slice(2)))
    },
    'a lock of git was left in it': (mirror) => writeFile(join(mirror, 'packed-refs.lock'), ''),
    'it is a file': async (mirror) => {
      await rm(mirror, { recursive: true })
      await writeFile(mirror, 'not a mirror')
    },
    'it is an empty folder': async (mirror) => {
      await rm(mirror, { recursive: true })
      await mkdir(mirror)
    },
    'it was removed': (mirror) => rm(mirror, { recursive: true }),
  }

  const cases = Object.keys(damages).flatMap((damage) => [
    { damage, news: 'nothing is new' },
    { damage, news: 'a commit is new' },
  ])

  test.each(cases)('$damage, and $news in the repository', async ({ damage, news }) => {
    const { playground, source, clones, address } = await open()
    const first = await clones.create({ name: 'a', address, branch: 'main' })
    const mirror = join(playground.path, 'mirrors', `${address.mirrorKey}.git`)

    await damages[damage]?.(mirror, playground)
    if (news === 'a commit is new') await playground.commit(source, { 'new.txt': 'new' })
    const made = await Promise.all(['b', 'c'].map((name) => clones.create({ name, address, branch: 'main' })))

    for (const clone of [first, ...made]) expect(await playground.git(clone.path, 'fsck', '--full')).toBe('')
    expect(await playground.git(mirror, 'fsck', '--full')).toBe('')
    expect(await readdir(join(playground.path, 'mirrors'))).toEqual([`${address.mirrorKey}.git`])
  })
})

async function open() {
  const playground = await openPlayground()
  const source = await playground.makeSource()
  const clones = openClones({
    root: join(playground.path, 'clones'),
    mirrorsRoot: join(playground.path, 'mirrors'),
  })
  return { playground, source, clones, address: parseRepositoryAddress(source) }
}
