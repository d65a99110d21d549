// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a catalog writes, not a template
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { airOf, type Files, hook, skill, writeFiles } from './catalog-folder.ts'

const stdio = { type: 'stdio', command: 'node' }

/** A catalog with one of everything, and servers in every state that a host can detect. */
export const wholeCatalog: Files = {
  'roots.json': {
    web: {
      display_name: 'Web app',
      description: 'Customer-facing site.',
      url: 'https://forge.test/acme/web.git',
      default_branch: 'trunk',
      subdirectory: 'apps/site',
      default_goal: 'question',
      default_mcp_servers: ['tracker', 'dead'],
      default_skills: ['tidy'],
      default_plugins: ['kit'],
      default_model: 'demo',
      default_subagent_roots: ['api'],
    },
    api: {
      description: 'The service.',
      url: '/srv/api',
      user_invocable: false,
      default_runtime: 'demo',
      default_model: 'gone',
    },
    bare: { description: 'Any repository.' },
  },
  'mcp.json': {
    tracker: { ...stdio, title: 'Tracker', description: 'Issues.', env: { TOKEN: '${TRACKER_TOKEN:-}' } },
    dead: { ...stdio, unavailable: 'Retired' },
    blind: { ...stdio, args: ['${YARD_TEST_NEVER_SET}'] },
    search: {
      type: 'streamable-http',
      url: 'https://mcp.test/',
      headers: { Authorization: 'Bearer ${TRACKER_TOKEN:-}' },
    },
  },
  'skills.json': {
    tidy: { title: 'Tidy', description: 'Tidies.', path: 'skills/workflow/tidy', user_invocable: false },
  },
  'hooks.json': { format: { description: 'Formats.', path: 'hooks/format' } },
  'plugins.json': {
    kit: { description: 'A kit.', version: '1.0.0', mcp_servers: ['search'], hooks: ['format'], keywords: ['x'] },
  },
  'goals.json': { goals: { question: { name: 'Question', description: 'Answer it.' } } },
  ...skill('tidy'),
  ...hook('format'),
}

/** On disk for one test file. */
export async function catalogOnDisk(files: Files = wholeCatalog): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-catalog-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  await writeFiles(folder, { 'air.json': airOf(files), ...files })
  return folder
}

export async function keepSecrets(home: string, secrets: unknown): Promise<void> {
  const file = join(home, 'secrets.json')
  await writeFile(file, JSON.stringify(secrets))
  await chmod(file, 0o600)
}
