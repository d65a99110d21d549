import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { readCommit } from '../../src/platform/version.ts'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../../../', import.meta.url))

test('the build writes the output of a source that a checkout took away during an earlier build and gave back', async () => {
  const root = await smallRepository()
  const [source, output] = [join(root, 'packages/server/src/two.ts'), join(root, 'packages/server/dist/two.js')]
  await build(root)
  expect(existsSync(output)).toBe(true)
  // The compiler has read the source, and then the build removes the output of a source that it does not find.
  await rm(output)
  await writeFile(source, 'export const two = 2\n')

  await build(root)

  expect(existsSync(output)).toBe(true)
})

test('the commit of a checkout is recorded beside its build, and a folder without a repository keeps what was recorded', async () => {
  const root = await mkdtemp(join(tmpdir(), 'yardmaster-commit-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const file = join(root, 'packages/server/dist/.commit')
  await mkdir(join(root, 'packages/server/dist'), { recursive: true })
  await record(root)
  expect(readCommit(file)).toBeNull()
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.test', ...args], { cwd: root })
  await git('init', '--quiet')
  await record(root)
  expect(readCommit(file)).toBeNull()
  await writeFile(join(root, 'one'), 'one')
  await git('add', 'one')
  await git('commit', '--quiet', '--message', 'One')
  await git('tag', 'v1')
  const { stdout } = await git('rev-parse', 'HEAD')
  await record(root)
  expect(readCommit(file)).toBe(stdout.trim())
  await writeFile(join(root, 'one'), 'two')
  await record(root)
  expect(readCommit(file)).toBe(`${stdout.trim()}-dirty`)
  await rm(join(root, '.git'), { recursive: true })
  await record(root)
  expect(readCommit(file)).toBe(`${stdout.trim()}-dirty`)
  await writeFile(file, 'anything else\n')
  expect(readCommit(file)).toBeNull()
})

async function record(root: string): Promise<void> {
  const script = join(repository, 'scripts/record-commit.mjs')
  const program = `import { recordCommit } from ${JSON.stringify(script)}; recordCommit(${JSON.stringify(root)})`
  await run(process.execPath, ['--input-type=module', '--eval', program])
}

async function build(root: string): Promise<void> {
  const script = join(repository, 'scripts/build-packages.mjs')
  const program = `import { build } from ${JSON.stringify(script)}; await build(${JSON.stringify(root)}, () => undefined)`
  await run(process.execPath, ['--input-type=module', '--eval', program])
}

/** Three packages of two files each, as the build expects them. */
async function smallRepository(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'yardmaster-build-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  const compilerOptions = {
    composite: true,
    module: 'nodenext',
    rootDir: 'src',
    outDir: 'dist',
    types: [],
    lib: ['es5'],
  }
  for (const name of ['contract', 'client', 'server']) {
    const folder = join(root, 'packages', name)
    await mkdir(join(folder, 'src'), { recursive: true })
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name, type: 'module' }))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
    for (const file of ['one', 'two']) await writeFile(join(folder, 'src', `${file}.ts`), `export const ${file} = 2\n`)
  }
  return root
}
