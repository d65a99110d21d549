import { expect, test } from 'vitest'
import { checkRefName } from '../../../src/platform/git/ref-name.ts'
import { failureOf, openPlayground } from './playground.ts'

test.each(['main', 'feature/one', 'release-1.2', 'a@b', 'ünïcode', 'deadbeef', 'x'.repeat(200), "it's", '$(touch)'])(
  '%s is accepted as a branch name',
  async (name) => {
    await openPlayground()

    await expect(checkRefName(name)).resolves.toBeUndefined()
  },
)

test.each([
  '',
  '-',
  '-c',
  '--upload-pack=touch x',
  '--branch',
  '@',
  '@{-1}',
  'main@{1}',
  'main@{upstream}',
  'HEAD',
  'HEAD~1',
  'main^',
  'main^{tree}',
  'main~3',
  'main..other',
  'main:README.md',
  ':/message',
  'a b',
  'a\nb',
  'a\0b',
  'a\u007fb',
  '/main',
  'main/',
  'a//b',
  '.hidden',
  'a/.b',
  'main.lock',
  'main.',
  'a*',
  'a?',
  'a[b',
  'a\\b',
  '../main',
  'x'.repeat(300),
])('%j is rejected as a branch name', async (name) => {
  await openPlayground()

  const failure = await failureOf(checkRefName(name))

  expect(failure).toMatchObject({ name: 'GitFailed', kind: 'refused' })
  expect(String(failure)).not.toContain('\n')
})
