// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a catalog writes, not a template
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fillIn, placeholdersIn } from '../../../src/domain/catalog/secrets/placeholders.ts'
import { openRedaction } from '../../../src/platform/redaction/redaction.ts'
import { catalogFolder, openedCatalog, problemWith } from '../../support/app/catalog-folder.ts'

const files = {
  'mcp.json': {
    tracker: {
      type: 'stdio',
      command: 'node',
      env: {
        TOKEN: '${TRACKER_TOKEN}',
        STAGE: '${STAGE:-test}',
        KEYS: '${API_KEYS:-none}',
        DB: '${DATABASE_URL:-none}',
      },
    },
    search: { type: 'sse', url: 'https://mcp.test/${SEARCH_TENANT}', headers: { 'X-Auth': '${TRACKER_TOKEN}' } },
  },
}

async function keep(home: string, secrets: unknown, mode = 0o600): Promise<string> {
  const file = join(home, 'secrets.json')
  await writeFile(file, typeof secrets === 'string' ? secrets : JSON.stringify(secrets))
  await chmod(file, mode)
  return file
}

describe('placeholders', () => {
  const values: Record<string, string> = { A: 'one', B: '${A}', BLANK: '', MONEY: '$& $1' }
  const filled = (text: string): string => fillIn(text, (name) => values[name])

  test.each([
    ['${A} and ${A}', 'one and one'],
    ['${GONE:-else}', 'else'],
    ['${GONE:-}', ''],
    ['${BLANK:-else}', 'else'],
    ['[${BLANK}]', '[]'],
    ['${B}', '${A}'],
    ['${MONEY}', '$& $1'],
    ['${GONE}', '${GONE}'],
    ['${lower} $A ${1A} ${A', '${lower} $A ${1A} ${A'],
  ])('the placeholder %s becomes %s', (text, expected) => {
    expect(filled(text)).toBe(expected)
  })

  test('placeholders are found with whether they are required', () => {
    expect(placeholdersIn(['${A}${B:-x}', '${__proto__}'])).toEqual([
      { name: 'A', isRequired: true },
      { name: 'B', isRequired: false },
    ])
  })
})

describe('secrets', () => {
  test('come from the file, else from the environment, and only for names that the catalog uses', async () => {
    const { catalog, home } = await openedCatalog(files, {
      environment: { TRACKER_TOKEN: 'from-environment', SEARCH_TENANT: 'acme', UNRELATED: 'not-yours' },
    })
    await keep(home, { TRACKER_TOKEN: { value: 'from-file', description: 'Issue tracker' }, SPARE: { value: 'spare' } })
    await catalog.refresh()
    const secrets = catalog.secrets()
    expect(['TRACKER_TOKEN', 'SEARCH_TENANT', 'UNRELATED', 'SPARE'].map(secrets.find)).toEqual([
      'from-file',
      'acme',
      undefined,
      'spare',
    ])
    expect(secrets.names()).toEqual([
      { name: 'SEARCH_TENANT', description: null, source: 'environment', usedBy: ['mcp_servers/search'] },
      { name: 'SPARE', description: null, source: 'file', usedBy: [] },
      {
        name: 'TRACKER_TOKEN',
        description: 'Issue tracker',
        source: 'file',
        usedBy: ['mcp_servers/search', 'mcp_servers/tracker'],
      },
    ])
  })

  test("secrets never include Yardmaster's own keys, even if a catalog names them", async () => {
    const environment = { API_KEYS: 'key-of-the-yard', DATABASE_URL: 'postgres://u:p@db/yard' }
    const { catalog } = await openedCatalog(files, { environment })
    expect(catalog.secrets().find('API_KEYS')).toBeUndefined()
    expect(catalog.secrets().find('DATABASE_URL')).toBeUndefined()
    expect(catalog.secrets().names()).toEqual([])
  })

  test('secrets are known to the redactor, also after they were replaced', async () => {
    const { catalog, home } = await openedCatalog(files, {
      environment: { SEARCH_TENANT: 'tenant-4711-acme', STAGE: 'production' },
    })
    const redactor = openRedaction({ known: catalog.knownSecrets })
    await keep(home, { TRACKER_TOKEN: { value: 'first-value' } })
    await catalog.refresh()
    expect(redactor.redact('it is first-value')).toBe('it is [REDACTED:ENV:TRACKER_TOKEN]')
    await keep(home, { TRACKER_TOKEN: { value: 'second-value' } })
    await catalog.refresh()
    expect(redactor.redact('first-value, second-value')).toBe(
      '[REDACTED:ENV:TRACKER_TOKEN], [REDACTED:ENV:TRACKER_TOKEN]',
    )
    expect(redactor.redact('tenant-4711-acme')).toBe('[REDACTED:ENV:SEARCH_TENANT]')
    expect(redactor.redact('we are in production')).toBe('we are in production')
  })

  test('secrets do not affect the version of the catalog', async () => {
    const { catalog, home } = await openedCatalog(files)
    const { version } = catalog.status()
    await keep(home, { TRACKER_TOKEN: { value: 'x' } })
    await catalog.refresh()
    expect(catalog.secrets().find('TRACKER_TOKEN')).toBe('x')
    expect(catalog.status().version).toBe(version)
  })

  test.each([
    ['is not JSON', '{', 0o600, 'secrets.json: is not valid JSON'],
    ['has a bad name', { lower: { value: 'hunter2' } }, 0o600, 'secrets.json: "lower": is not a valid secret name'],
    ['has a value that is not an object', { TOKEN: 'hunter2' }, 0o600, 'secrets.json: TOKEN: must be of type object'],
    [
      'can be read by others',
      { TOKEN: { value: 'hunter2' } },
      0o644,
      'secrets.json: can be read by other users; make it yours alone: chmod 600 ',
    ],
  ])(
    'a secrets file that %s stops the start with a message that quotes no value',
    async (_what, content, mode, problem) => {
      const { folder, home } = await catalogFolder(files)
      await keep(home, content, mode)
      const reported = await problemWith(folder, { home })
      expect(reported).toContain(problem)
      expect(reported).not.toContain('hunter2')
    },
  )

  test('secrets are reloaded even while the catalog is invalid', async () => {
    const { catalog, folder, home } = await openedCatalog(files)
    await writeFile(join(folder, 'air.json'), '{')
    await keep(home, { TRACKER_TOKEN: { value: 'x' } })
    await catalog.refresh()
    expect(catalog.status()).toMatchObject({ isDegraded: true, error: 'air.json: is not valid JSON' })
    expect(catalog.secrets().find('TRACKER_TOKEN')).toBe('x')
  })

  test('stay unchanged when the secrets file becomes invalid', async () => {
    const { catalog, home } = await openedCatalog(files)
    await keep(home, { TRACKER_TOKEN: { value: 'x' } })
    await catalog.refresh()
    await keep(home, '{')
    await catalog.refresh()
    expect(catalog.status()).toMatchObject({ isDegraded: true, error: 'secrets.json: is not valid JSON' })
    expect(catalog.secrets().find('TRACKER_TOKEN')).toBe('x')
  })
})
