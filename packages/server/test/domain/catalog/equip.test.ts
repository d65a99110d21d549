// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a catalog writes, not a template
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isCredentialHeader } from '../../../src/domain/catalog/availability.ts'
import {
  availabilityOf,
  type CredentialState,
  equipFromCatalog,
  type Selection,
} from '../../../src/domain/catalog/catalog.ts'
import { hook, openedCatalog, skill } from '../../support/app/catalog-folder.ts'

const stdio = { type: 'stdio', command: 'node' }
const nothing: Selection = { mcp_servers: [], catalog_skills: [], catalog_hooks: [], catalog_plugins: [] }

describe('the availability of a server', () => {
  async function availability(server: Record<string, unknown>, options: Parameters<typeof openedCatalog>[1] = {}) {
    const { catalog } = await openedCatalog({ 'mcp.json': { it: server } }, options)
    const found = catalog.current().mcpServers.find('it')
    if (!found) throw new Error('the server is in the catalog')
    return availabilityOf(catalog, found)
  }
  const remote = { type: 'streamable-http', url: 'https://mcp.test/x' }

  test.each([
    ['nothing it needs is missing', stdio, 'no_credential_required', null],
    [
      'a sentence declares it dead',
      { ...stdio, unavailable: '  Down\n for  repair ' },
      'declared_unavailable',
      'Down for repair',
    ],
    ['true declares nothing', { ...stdio, unavailable: true }, 'no_credential_required', null],
    ['a blank declares nothing', { ...stdio, unavailable: ' ' }, 'no_credential_required', null],
    ['null declares nothing', { ...stdio, unavailable: null }, 'no_credential_required', null],
    [
      'variables are missing',
      { ...stdio, args: ['${VAR_A}'], env: { X: '${VAR_B} ${VAR_A}' } },
      'missing_configuration',
      '`VAR_A`, `VAR_B` unresolved',
    ],
    ['a default stands in', { ...stdio, env: { X: '${VAR_A:-x}' } }, 'no_credential_required', null],
    [
      'a variable of its url is missing',
      { ...remote, url: 'https://${HOST_A}/x' },
      'missing_configuration',
      '`HOST_A` unresolved',
    ],
    ['a header carries the credential', { ...remote, headers: { 'X-API-Key': 'k' } }, 'ready', null],
    ['it is unknown whether the server requires a sign-in', remote, 'probe_failed', null],
    [
      'it wants a sign-in, and there are none',
      { ...remote, oauth: { scopes: ['read'] } },
      'needs_authorization',
      'OAuth authorization not completed',
    ],
  ])('the catalog reports the availability of a server when %s', async (_what, server, state, reason) => {
    expect(await availability(server)).toEqual({ state, reason })
  })

  test('a declared reason takes precedence over missing secrets and is at most 200 characters long', async () => {
    const { state, reason } = await availability({ ...stdio, args: ['${VAR_A}'], unavailable: 'é'.repeat(300) })
    expect([state, reason]).toEqual(['declared_unavailable', 'é'.repeat(200)])
  })

  test.each<[CredentialState, string, string | null]>([
    ['ready', 'ready', null],
    ['not_required', 'no_credential_required', null],
    ['token_expired', 'token_expired', null],
    ['needs_authorization', 'needs_authorization', 'OAuth authorization not completed'],
    ['needs_reauth', 'needs_reauth', 'OAuth token expired and cannot be refreshed'],
    ['store_unavailable', 'store_unavailable', null],
    ['unknown', 'probe_failed', null],
  ])('a sign-in that is %s', async (known, state, reason) => {
    expect(await availability(remote, { credentialState: async () => known })).toEqual({ state, reason })
  })

  test('a server counts as available when its sign-in lookup fails', async () => {
    const credentialState = () => Promise.reject(new Error('the store is on fire'))
    expect(await availability(remote, { credentialState })).toEqual({ state: 'probe_failed', reason: null })
  })

  test('sign-in lookups are cached', async () => {
    const asked: string[] = []
    const credentialState = async (name: string): Promise<CredentialState> => {
      asked.push(name)
      return 'ready'
    }
    const { catalog } = await openedCatalog({ 'mcp.json': { it: remote } }, { credentialState })
    await Promise.all([catalog.credentialState('it'), catalog.credentialState('it')])
    expect(asked).toEqual(['it'])
  })

  test.each([
    'Authorization',
    'X-Auth-Token',
    'x_api_key',
    'X-Api-Key',
    'Apikey',
    'Proxy-Authorization',
    'X-Client-Secret',
  ])('the header %s is a credential', (name) => expect(isCredentialHeader(name)).toBe(true))

  test.each(['Idempotency-Key', 'X-Author', 'X-Tokenizer', 'Api-Version', 'Accept'])(
    'the header %s is not a credential',
    (name) => expect(isCredentialHeader(name)).toBe(false),
  )
})

describe('the equipment of an agent', () => {
  test('the equipment of an agent includes the artifacts of plugins, has secrets substituted, and omits what was not selected', async () => {
    const { catalog, folder } = await openedCatalog(
      {
        'mcp.json': {
          tracker: { ...stdio, args: ['--token', '${TOKEN_A}'], env: { A: '${TOKEN_A}', EMPTY: '${NONE:-}' } },
          search: { type: 'sse', url: 'https://${TENANT}.mcp.test/', headers: { Authorization: 'Bearer ${TOKEN_A}' } },
          other: { ...stdio, env: { B: '${TOKEN_A}' } },
        },
        'skills.json': { tidy: { description: 'T.', path: 'skills/workflow/tidy', references: ['style'] } },
        'references.json': { style: { description: 'S.', path: 'style.md' } },
        'style.md': '# Style\n',
        'hooks.json': { format: { description: 'F.', path: 'hooks/format' } },
        'plugins.json': { kit: { description: 'K.', mcp_servers: ['search', 'tracker'], skills: ['tidy'] } },
        ...skill('tidy'),
        ...hook('format', { env: { KEY: '${TOKEN_A}' }, timeout_seconds: 3, matcher: 'Edit|Write' }),
      },
      { environment: { TOKEN_A: 'abc$&', TENANT: 'acme' } },
    )
    const selection = { ...nothing, mcp_servers: ['tracker'], catalog_hooks: ['format'], catalog_plugins: ['kit'] }
    expect(await equipFromCatalog(catalog, selection)).toEqual({
      catalogVersion: catalog.status().version,
      signedIn: new Map(),
      mcpServers: [
        { name: 'tracker', kind: 'stdio', command: 'node', args: ['--token', 'abc$&'], env: { A: 'abc$&' } },
        { name: 'search', kind: 'sse', url: 'https://acme.mcp.test/', headers: { Authorization: 'Bearer abc$&' } },
      ],
      skills: [
        {
          id: 'tidy',
          folder: join(folder, 'skills/workflow/tidy'),
          references: [{ name: 'style.md', path: join(folder, 'style.md') }],
        },
      ],
      hooks: [
        {
          id: 'format',
          folder: join(folder, 'hooks/format'),
          event: 'session_start',
          command: './run.sh',
          args: [],
          env: { KEY: 'abc$&' },
          timeoutSeconds: 3,
          matcher: 'Edit|Write',
        },
      ],
      leftOut: [],
    })
  })

  test('the equipment of an agent omits unavailable artifacts with a message each and keeps the others', async () => {
    const { catalog } = await openedCatalog(
      {
        'mcp.json': {
          good: stdio,
          dead: { ...stdio, unavailable: 'Retired' },
          blind: { ...stdio, env: { A: '${GONE}' } },
          guarded: { type: 'sse', url: 'https://x.test', oauth: {} },
          twisted: { type: 'sse', url: '${ADDRESS}' },
          split: { type: 'sse', url: 'https://x.test', headers: { 'X-Token': '${LINES}' } },
        },
        'hooks.json': {
          odd: { description: 'O.', path: 'hooks/odd' },
          needy: { description: 'N.', path: 'hooks/needy' },
        },
        ...hook('odd', { event: 'full_moon' }),
        ...hook('needy', { env: { A: '${GONE}' } }),
      },
      { environment: { ADDRESS: 'javascript:alert(1)', LINES: 'a\r\nX-Admin: yes' } },
    )
    const equipment = await equipFromCatalog(catalog, {
      mcp_servers: ['dead', 'blind', 'guarded', 'twisted', 'split', 'former', 'good'],
      catalog_skills: ['former'],
      catalog_hooks: ['odd', 'needy', 'former'],
      catalog_plugins: ['former'],
    })
    expect(equipment).toMatchObject({ mcpServers: [{ name: 'good' }], skills: [], hooks: [] })
    expect(equipment.leftOut.map(({ kind, state, sentence }) => [kind, state, sentence])).toEqual([
      ['plugin', undefined, 'The plugin former is left out: the catalog no longer has it.'],
      ['mcp_server', 'declared_unavailable', 'The MCP server dead is left out: Retired.'],
      ['mcp_server', 'missing_configuration', 'The MCP server blind is left out: `GONE` unresolved.'],
      ['mcp_server', 'needs_authorization', 'The MCP server guarded is left out: OAuth authorization not completed.'],
      ['mcp_server', 'probe_failed', 'The MCP server twisted is left out: its url is not an http address.'],
      ['mcp_server', 'ready', 'The MCP server split is left out: a header holds characters that no header can hold.'],
      ['mcp_server', undefined, 'The MCP server former is left out: the catalog no longer has it.'],
      ['skill', undefined, 'The skill former is left out: the catalog no longer has it.'],
      ['hook', undefined, 'The hook odd is left out: its event is not known.'],
      ['hook', undefined, 'The hook needy is left out: `GONE` unresolved.'],
      ['hook', undefined, 'The hook former is left out: the catalog no longer has it.'],
    ])
    expect(JSON.stringify(equipment.leftOut)).not.toContain('javascript')
  })

  test('the equipment of an agent gives entries with the same id from two catalogs distinct names', async () => {
    const { catalog } = await openedCatalog({
      'air.json': { name: 'test', mcp: ['mcp.json'], catalogs: ['in'] },
      'mcp.json': { tracker: stdio },
      'in/air.json': { name: 'acme', mcp: ['mcp.json'] },
      'in/mcp.json': { tracker: stdio },
    })
    const { mcpServers } = await equipFromCatalog(catalog, {
      ...nothing,
      mcp_servers: ['@acme/tracker', '@local/tracker'],
    })
    expect(mcpServers.map(({ name }) => name)).toEqual(['acme-tracker', 'local-tracker'])
  })
})
