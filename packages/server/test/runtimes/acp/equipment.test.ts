import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { noEquipment, type Skill } from '../../../src/runtimes/equipment.ts'
import { type ScriptedSession, scriptedSession } from './scripted-session.ts'

let session: ScriptedSession

afterEach(() => session.remove())

describe('the model', () => {
  test('the model of an ACP agent is selected by a configuration option', async () => {
    session = await scriptedSession({ abilities: ['options', 'models'] })
    expect(await session.run('say Hi', { model: 'large' })).toEqual({ kind: 'completed' })
    const [{ params } = { params: {} }] = await session.requests('session/set_config_option')
    expect(params).toMatchObject({ sessionId: session.conversation.id, configId: 'llm', value: 'large' })
    expect(await session.requests('session/set_model')).toEqual([])
  })

  test('the model of an ACP agent is selected by session/set_model and by its displayed name', async () => {
    session = await scriptedSession({ abilities: ['models'] })
    await session.run('say Hi', { model: 'The large one' })
    expect((await session.requests('session/set_model'))[0]?.params).toMatchObject({ modelId: 'large' })
  })

  test("the model of an ACP agent is not set if the agent already uses it or the choice is the agent's", async () => {
    session = await scriptedSession({ abilities: ['options', 'resume'] })
    await session.run('say Hi', { model: 'small' })
    await session.run('say Hi', { model: 'default' })
    expect(await session.requests('session/set_config_option')).toEqual([])
  })

  test('the model of an ACP agent that the agent lacks fails the turn with a list of those it has', async () => {
    session = await scriptedSession({ abilities: ['options'] })
    expect(await session.run('say Hi', { model: 'huge' })).toEqual({
      kind: 'failed',
      reason: 'model',
      detail: 'The agent has no model huge; it offers small, large.',
    })
    expect(await session.requests('session/prompt')).toEqual([])
  })

  test('the model of an ACP agent of an agent without a choice of models is logged', async () => {
    session = await scriptedSession()
    expect(await session.run('say Hi', { model: 'large' })).toEqual({ kind: 'completed' })
    expect(session.notices).toEqual([expect.stringContaining('has no choice of models')])
  })
})

test('the agent gets the configured mode and sign-in method', async () => {
  const agent = { mode: 'free', authMethod: 'key' }
  session = await scriptedSession({ agent, environment: { SCRIPTED_AUTH: 'required' } })
  expect(await session.run('say Hi')).toEqual({ kind: 'completed' })
  expect((await session.requests()).map(({ method }) => method)).toEqual([
    'initialize',
    'authenticate',
    'session/new',
    'session/set_mode',
    'session/prompt',
  ])
})

test('a mode that the agent lacks fails the turn with a list of those it has', async () => {
  session = await scriptedSession({ agent: { mode: 'wild' } })
  expect(await session.run('say Hi')).toMatchObject({
    kind: 'failed',
    detail: 'The agent has no mode wild; it offers careful, free.',
  })
})

test('every turn passes the MCP servers, except those the agent does not support', async () => {
  session = await scriptedSession({ abilities: ['resume', 'http'] })
  const mcpServers = [
    { name: 'files', kind: 'stdio', command: '/bin/files', args: ['-v'], env: { ROOT: '/x' } },
    { name: 'web', kind: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
    { name: 'old', kind: 'sse', url: 'https://example.com/sse', headers: {} },
  ] as const
  await session.run('say Hi', { equipment: { mcpServers } })
  await session.run('say Hi', { equipment: { mcpServers } })
  const given = [
    {
      name: 'files',
      command: '/bin/files',
      args: ['-v'],
      env: [
        { name: 'ROOT', value: '/x' },
        { name: 'YARDMASTER_RUN', value: expect.stringMatching(/^run-/) },
      ],
    },
    {
      type: 'http',
      name: 'web',
      url: 'https://example.com/mcp',
      headers: [{ name: 'Authorization', value: 'Bearer x' }],
    },
  ]
  expect((await session.requests('session/new'))[0]?.params.mcpServers).toEqual(given)
  expect((await session.requests('session/resume'))[0]?.params.mcpServers).toEqual(given)
  const sentence = 'The MCP server old is left out: the agent does not speak MCP over sse.'
  expect(session.notices).toEqual([sentence, sentence])
})

test('skills are copied to the home and named to the agent, and deselected ones are removed', async () => {
  session = await scriptedSession()
  const { conversation, runtime } = session
  const tea = await makeSkill('tea/../brew')
  const milk = await makeSkill('milk')
  expect(await runtime.equip(conversation, { ...noEquipment, skills: [tea, milk] })).toEqual([])
  expect(await runtime.equip(conversation, { ...noEquipment, skills: [tea] })).toEqual([])
  expect(await readdir(join(conversation.home, 'skills'))).toEqual(['tea%2f%2e%2e%2fbrew'])
  const folder = join(conversation.home, 'skills', 'tea%2f%2e%2e%2fbrew')
  expect(await readFile(join(folder, 'references', 'leaves.md'), 'utf8')).toBe('green')
  await session.run('say Hi', { equipment: { skills: [tea] } })
  const [{ params } = { params: {} }] = await session.requests('session/prompt')
  expect(JSON.stringify(params)).toContain(`- tea/../brew: ${join(folder, 'SKILL.md')}`)
  expect(await readFile(join(folder, 'SKILL.md'), 'utf8')).toBe('# tea/../brew')
})

async function makeSkill(id: string): Promise<Skill> {
  const folder = join(session.conversation.workingDirectory, encodeURIComponent(id))
  await mkdir(folder)
  await writeFile(join(folder, 'SKILL.md'), `# ${id}`)
  const path = join(session.conversation.workingDirectory, 'leaves.md')
  await writeFile(path, 'green')
  return { id, folder, references: [{ name: 'leaves.md', path }] }
}
