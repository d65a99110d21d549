import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { pinnedCli as claude } from '../../src/runtimes/alpha/cli.ts'
import { pinnedCli as codex } from '../../src/runtimes/beta/cli.ts'
import { cliProgram } from '../../src/runtimes/cli.ts'
import { pinnedClis } from '../../src/runtimes/registry.ts'

test('docs/agents.md names every pinned package and version', async () => {
  const page = await readFile(new URL('../../../../docs/agents.md', import.meta.url), 'utf8')
  expect(pinnedClis.map(({ runtime }) => runtime)).toEqual(['runtime_alpha', 'runtime_beta', 'acp'])
  for (const { runtime, package: name, version } of pinnedClis) {
    expect(page).toContain(`| \`${runtime}\` | \`${name}\` | ${version} |`)
  }
})

test('the path of a program depends on the platform and the processor', () => {
  expect(cliProgram('/agents', claude, { platform: 'darwin', arch: 'arm64' })).toBe(
    '/agents/anthropic-ai-claude-code-2.1.197/node_modules/@anthropic-ai/claude-code-darwin-arm64/claude',
  )
  expect(cliProgram('/agents', codex, { platform: 'linux', arch: 'x64' })).toBe(
    '/agents/openai-codex-0.166.0/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
  )
})
