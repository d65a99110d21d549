import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

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
