import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { openClones } from '../../../src/platform/git/clones.ts'
import { parseRepositoryAddress } from '../../../src/platform/git/repository-address.ts'
import { startForge } from './forge.ts'
import { failureOf, isThere, openPlayground } from './playground.ts'

const password = 'p@ss/w:rd+with "quotes" $HOME `x`'
const encoded = encodeURIComponent(password)

describe('credentials in the address', () => {
  test('give access to a private repository and appear neither on disk nor in the process list', async () => {
    const { playground, clones, addressWith } = await open(`ada:${password}`)
    const commands = await recordCommands(playground.path)

    const address = addressWith(`ada:${encoded}@`)
    const first = await clones.create({ name: 'a', address, branch: 'main' })
    const second = await clones.create({ name: 'b', address, branch: 'main' })

    expect(await playground.git(first.path, 'remote', 'get-url', 'origin')).toBe(address.url)
    expect(second.commit).toBe(first.commit)
    for (const secret of [password, encoded, 'ada:', Buffer.from(`ada:${password}`).toString('base64')]) {
      expect(await filesHolding(secret, [join(playground.path, 'clones'), join(playground.path, 'mirrors')])).toBe('')
      expect(await readFile(commands, 'utf8')).not.toContain(secret)
    }
    expect(await readFile(commands, 'utf8')).toContain(address.url)
  })

  test('credentials in the address that are wrong cause an auth failure that does not contain them', async () => {
    const { clones, addressWith } = await open(`ada:${password}`)

    const failure = await failureOf(clones.create({ name: 'a', address: addressWith('ada:hunter22@'), branch: 'main' }))

    expect(failure).toMatchObject({ kind: 'auth', isRetryable: false })
    expect(JSON.stringify(failure) + String(failure)).not.toMatch(/hunter22/)
  })

  test('credentials in the address are checked for every clone, even if another caller has filled the mirror', async () => {
    const { clones, addressWith } = await open(`ada:${password}`)
    await clones.create({ name: 'a', address: addressWith(`ada:${encoded}@`), branch: 'main' })

    for (const other of ['', 'ada:wrong-one@', 'eve@']) {
      const failure = await failureOf(clones.create({ name: 'b', address: addressWith(other), branch: 'main' }))

      expect(failure).toMatchObject({ kind: 'auth' })
    }
  })

  test("credentials in the address are not passed to the operator's helper, which would store them", async () => {
    const { playground, clones, addressWith, origin } = await open(`ada:${password}`)
    const told = join(playground.path, 'told')
    const helper = `!f() { cat >> ${told}; }; f`
    await playground.git(
      playground.home,
      'config',
      '--file',
      join(playground.home, '.gitconfig'),
      'credential.helper',
      helper,
    )
    const own = `credential.${origin}.helper`
    await playground.git(playground.home, 'config', '--file', join(playground.home, '.gitconfig'), own, helper)

    await clones.create({ name: 'a', address: addressWith(`ada:${encoded}@`), branch: 'main' })
    await failureOf(clones.create({ name: 'b', address: addressWith('ada:wrong-one@'), branch: 'main' }))

    expect(await isThere(told)).toBe(false)
  })
})

describe('credentials of the operator', () => {
  test('come from the helper in their configuration, selected by the user name in the address', async () => {
    const { playground, clones, addressWith } = await open('ada:from-helper')
    const helper = join(playground.path, 'helper')
    await writeFile(helper, '#!/bin/sh\ngrep -q "^username=ada$" && echo password=from-helper\n')
    await chmod(helper, 0o755)
    await writeFile(join(playground.home, '.gitconfig'), `[credential]\n\thelper = ${helper}\n`)

    const clone = await clones.create({ name: 'a', address: addressWith('ada@'), branch: 'main' })

    expect(clone.commit).not.toBeNull()
    expect(await playground.git(clone.path, 'remote', 'get-url', 'origin')).not.toContain('ada')
  })

  test('credentials of the operator that are missing cause an auth failure with advice and no prompt', async () => {
    const { clones, addressWith } = await open('ada:secret')

    const failure = await failureOf(clones.create({ name: 'a', address: addressWith(''), branch: 'main' }))

    expect(failure).toMatchObject({ kind: 'auth', reason: expect.stringContaining('credential helper or an ssh key') })
  })
})

describe('a repository on this disk that belongs to several users', () => {
  test.runIf(process.getuid?.() === 0)(
    'a repository of root whose git folder belongs to another user is refused until the operator trusts it in their own configuration',
    async () => {
      const { playground, clones } = await open()
      const source = join(playground.path, 'source')
      await chown(join(source, '.git'), 65_534, 65_534)
      const address = parseRepositoryAddress(source)

      expect(await failureOf(clones.create({ name: 'a', address, branch: 'main' }))).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('safe.directory'),
      })
      await writeFile(
        join(playground.home, '.gitconfig'),
        `[safe]\n\tdirectory = ${source}/.git\n\tdirectory = ${source}\n`,
      )
      expect((await clones.create({ name: 'a', address, branch: 'main' })).commit).not.toBeNull()
    },
  )
})

async function open(login?: string) {
  const playground = await openPlayground()
  await playground.makeSource()
  const forge = await startForge({ root: playground.path, login })
  const clones = openClones({
    root: join(playground.path, 'clones'),
    mirrorsRoot: join(playground.path, 'mirrors'),
  })
  const addressWith = (userinfo: string) =>
    parseRepositoryAddress(`${forge.origin.replace('://', `://${userinfo}`)}/source/.git`)
  return { playground, clones, addressWith, origin: forge.origin }
}

/** Puts a wrapper around git on the PATH that records its arguments. */
async function recordCommands(path: string): Promise<string> {
  const folder = join(path, 'bin')
  const record = join(folder, 'record')
  await mkdir(folder)
  await writeFile(join(folder, 'git'), `#!/bin/sh\necho "$@" >> '${record}'\nPATH=\${PATH#*:}\nexec git "$@"\n`)
  await chmod(join(folder, 'git'), 0o755)
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  return record
}

async function filesHolding(text: string, folders: readonly string[]): Promise<string> {
  return promisify(execFile)('grep', ['-rlF', '--', text, ...folders]).then(
    ({ stdout }) => stdout,
    // grep exits with 1 when it finds nothing.
    (error: { code?: number }) => (error.code === 1 ? '' : Promise.reject(error)),
  )
}
