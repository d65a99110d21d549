import { describe, expect, test } from 'vitest'
import { models } from '../../src/runtimes/alpha/models.ts'
import { alphaRuntime } from '../../src/runtimes/alpha/runtime.ts'
import { offeredModels } from '../../src/runtimes/models.ts'
import { betaDriver } from './support/beta-driver.ts'
import { cli } from './support/cli.ts'
import { drivenSession } from './support/driven-session.ts'

// The size of the context at which an agent summarises what came before.

const { model, session: betaSession } = betaDriver()

const alphaSession = () => {
  const environment = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'scripted-key' }
  const runtime = alphaRuntime({ command: cli('runtime_alpha'), environment, models: offeredModels(models) })
  return drivenSession(runtime, { model: 'claude-sonnet-5' })
}

/**
 * The last but one reports more than the limit below, and less than every model has. It is long in fact, and not the first: Claude Code
 * summarises only what a summary makes shorter.
 */
const prompts = ['say One', 'say Two', 'say Three', `usage 130000 20\nsay ${'plover '.repeat(40_000)}`, 'say And on']
const compactWindow = 110_000

describe.each([
  { name: 'runtime_alpha', session: alphaSession, sign: /"compact_boundary"/ },
  { name: 'runtime_beta', session: betaSession, sign: /"type":"compacted"/ },
])('a conversation of $name', ({ session, sign }) => {
  test('is summarised when its context exceeds the size that the session sets', async () => {
    const driven = await session()
    for (const prompt of prompts) expect(await driven.run(prompt, { compactWindow })).toEqual({ kind: 'completed' })
    expect((await driven.lines()).join('\n')).toMatch(sign)
  })

  test('is not summarised at that size if the session sets none', async () => {
    const driven = await session()
    for (const prompt of prompts) expect(await driven.run(prompt)).toEqual({ kind: 'completed' })
    expect((await driven.lines()).join('\n')).not.toMatch(sign)
  })
})
