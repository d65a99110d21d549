import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const script = new URL('../../../../scripts/install-cli.mjs', import.meta.url).href

/** Replacements for npm: each records that it was called and then behaves as its name says. */
const npms = {
  works: `mkdirSync('node_modules'); await sleep(200); writeFileSync('node_modules/tool', '')`,
  'brings no program': `mkdirSync('node_modules')`,
  'gets no answer': `console.error('npm error code ENOTFOUND'); process.exitCode = 1`,
  'is refused': `console.error('npm error code E403'); process.exitCode = 1`,
}

test('two concurrent callers install a CLI once', async () => {
  const { install, folder, calls } = await place('works')
  expect(await Promise.all([install(), install()])).toEqual(['done', 'done'])
  expect(await install()).toBe('done')
  expect(await readdir(folder)).toEqual(['tool-1.0.0'])
  expect(await calls()).toBe(1)
})

test('removes the partial folder of a killed install', async () => {
  const { install, folder } = await place('works')
  await mkdir(join(folder, '.unfinished-1', 'node_modules'), { recursive: true })
  expect(await install()).toBe('done')
  expect(await readdir(folder)).toEqual(['tool-1.0.0'])
})

test('rejects an install that brings no program', async () => {
  const { install, folder } = await place('brings no program')
  expect(await install()).toMatch(/^PrepareError: tool 1\.0\.0 has no program for/)
  expect(await readdir(folder)).toEqual([])
})

test.each([
  ['gets no answer', 'RegistryUnreachable: The npm registry cannot be reached (ENOTFOUND).'],
  ['is refused', 'PrepareError: npm error code E403'],
] as const)('distinguishes an unreachable registry from a refused install: npm %s', async (npm, problem) => {
  const { install } = await place(npm)
  expect((await install()).split('\n')[0]).toBe(problem)
})

async function place(npm: keyof typeof npms) {
  const root = await mkdtemp(join(tmpdir(), 'yardmaster-install-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const folder = join(root, 'agents')
  const log = join(root, 'calls')
  await mkdir(folder)
  await writeFile(log, '')
  await writeFile(join(root, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(root, 'npm-cli.js'),
    `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
appendFileSync(${JSON.stringify(log)}, 'x')
${npms[npm]}`,
  )
  const tool = join(folder, 'tool-1.0.0')
  const wanted = {
    cli: { runtime: 'tool', package: 'tool', version: '1.0.0', binary: 'tool' },
    folder: tool,
    program: join(tool, 'node_modules', 'tool'),
  }
  const program = `import { installCli } from ${JSON.stringify(script)}
await installCli(${JSON.stringify(folder)}, ${JSON.stringify(wanted)}).then(
  () => console.log('done'),
  (problem) => console.log(problem.name + ': ' + problem.message),
)`
  const env = { ...process.env, npm_execpath: join(root, 'npm-cli.js') }
  return {
    folder,
    install: async () => {
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { env })
      return stdout.trim()
    },
    calls: async () => (await readFile(log, 'utf8')).length,
  }
}
