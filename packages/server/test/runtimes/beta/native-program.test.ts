import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nativeProgram } from '../../../src/runtimes/beta/native-program.ts'

async function put(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, '{}')
  return path
}

async function installation(): Promise<{ launcher: string; modules: string; packageFolder: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-native-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const modules = join(folder, 'node_modules')
  const script = await put(join(modules, '@openai/codex/bin/codex.js'))
  const launcher = join(modules, '.bin/codex')
  await mkdir(dirname(launcher))
  await symlink(script, launcher)
  return { launcher, modules, packageFolder: join(modules, `@openai/codex-${process.platform}-${process.arch}`) }
}

test("replaces npm's launcher by the program that it starts", async () => {
  const { launcher, packageFolder } = await installation()
  await put(join(packageFolder, 'package.json'))
  const program = await put(join(packageFolder, 'vendor/some-target/bin/codex'))
  expect(await nativeProgram(launcher)).toBe(program)
})

test('keeps a launcher whose program is missing, and every other command', async () => {
  const { launcher, modules } = await installation()
  expect(await nativeProgram(launcher)).toBe(launcher)
  const other = await put(join(modules, 'my-codex'))
  expect(await nativeProgram(other)).toBe(other)
  expect(await nativeProgram('no-such-program-anywhere')).toBe('no-such-program-anywhere')
})
