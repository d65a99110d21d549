import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { cliProgram, pinnedClis } from '../../src/runtimes/cli.ts'

test('the page about agents names the pinned versions', async () => {
  const page = await readFile(new URL('../../../../docs/agents.md', import.meta.url), 'utf8')
  for (const { runtime, package: name, version } of pinnedClis) {
    expect(page).toContain(`| \`${runtime}\` | \`${name}\` | ${version} |`)
  }
})

test('each machine has its own program', () => {
  const [claude, codex] = pinnedClis
  expect(cliProgram('/agents', claude, { platform: 'darwin', arch: 'arm64' })).toBe(
    '/agents/anthropic-ai-claude-code-2.1.197/node_modules/@anthropic-ai/claude-code-darwin-arm64/claude',
  )
  expect(cliProgram('/agents', codex, { platform: 'linux', arch: 'x64' })).toBe(
    '/agents/openai-codex-0.166.0/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
  )
})
