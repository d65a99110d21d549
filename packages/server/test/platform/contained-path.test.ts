import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveInside } from '../../src/platform/contained-path.ts'

describe('a path inside its folder', () => {
  test.each([
    ['', ''],
    ['.', ''],
    ['apps/site', 'apps/site'],
    ['./apps//site/', 'apps/site'],
    ['link-inside', 'apps/site'],
    ['apps/site/page.txt', 'apps/site/page.txt'],
    ['with..dots', 'with..dots'],
    ['...', '...'],
  ])('the contained path %j is %j', async (given, expected) => {
    const root = await makeTree()

    expect(await resolveInside(root, given)).toBe(join(await realpath(root), expected))
  })

  test('a path inside its folder is found through a root that is itself a link', async () => {
    const root = await makeTree()
    await symlink(root, `${root}-link`)
    onTestFinished(() => rm(`${root}-link`))

    expect(await resolveInside(`${root}-link`, 'apps')).toBe(join(await realpath(root), 'apps'))
  })
})

describe('a rejected path', () => {
  test.each([
    ['/etc', 'outside'],
    ['/', 'outside'],
    ['..', 'outside'],
    ['../outside', 'outside'],
    ['apps/../..', 'outside'],
    ['apps/../apps', 'outside'],
    ['..\\outside', 'outside'],
    ['link-outside', 'outside'],
    ['link-outside/secret.txt', 'outside'],
    ['link-to-sibling', 'outside'],
    ['link-to-link', 'outside'],
    ['link-absolute', 'outside'],
    ['apps\0/site', 'malformed'],
    ['absent', 'missing'],
    ['%2e%2e/outside', 'missing'],
    ['apps/site/page.txt/below', 'missing'],
    ['link-dangling', 'missing'],
    ['link-loop', 'missing'],
    ['x'.repeat(5_000), 'missing'],
  ])('the path %j is rejected: %s', async (given, problem) => {
    const root = await makeTree()

    await expect(resolveInside(root, given)).rejects.toMatchObject({ name: 'PathRefused', problem })
  })

  test('a rejected path is a file where a directory is required', async () => {
    const root = await makeTree()

    await expect(resolveInside(root, 'apps/site/page.txt', { mustBeDirectory: true })).rejects.toMatchObject({
      problem: 'not_a_directory',
    })
    expect(await resolveInside(root, 'apps/site', { mustBeDirectory: true })).toContain('apps/site')
  })

  test('a rejected path has a message of one short line that shows only the given path', async () => {
    const root = await makeTree()

    for (const given of ['link-outside', `a\nb${'x'.repeat(1_000)}`]) {
      const message = await resolveInside(root, given).then(String, String)
      expect(message).not.toContain(root)
      expect(message).not.toContain('\n')
      expect(message.length).toBeLessThan(300)
    }
  })
})

async function makeTree(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'yardmaster-contained-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const root = join(parent, 'root')
  await mkdir(join(root, 'apps/site'), { recursive: true })
  await mkdir(join(root, 'with..dots'))
  await mkdir(join(root, '...'))
  await writeFile(join(root, 'apps/site/page.txt'), 'page')
  await mkdir(join(parent, 'outside'))
  await writeFile(join(parent, 'outside/secret.txt'), 'secret')
  // Starts with the text of the root: a comparison of prefixes would accept it.
  await mkdir(join(parent, 'root-sibling'))
  const links = {
    'link-inside': 'apps/site',
    'link-outside': '../outside',
    'link-to-sibling': '../root-sibling',
    'link-to-link': 'link-outside',
    'link-absolute': '/etc',
    'link-dangling': 'nowhere',
    'link-loop': 'link-loop',
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(root, name))
  return root
}
