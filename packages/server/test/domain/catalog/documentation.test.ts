import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { testApp } from '../../support/app/app.ts'
import { catalogOnDisk, keepSecrets } from '../../support/app/catalog-app.ts'

const page = await readFile(new URL('../../../../../docs/catalog.md', import.meta.url), 'utf8')
const files = Object.fromEntries(
  [...page.matchAll(/^`([^`\n]+)`\n\n```(?:json|markdown)\n(.*?)^```$/gms)].map(([, path = '', text = '']) => [
    path,
    text,
  ]),
)
const block = (name: string) => JSON.parse(new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? '')

const folder = await catalogOnDisk(files)
const app = testApp({ environment: { ROLE: 'web', CATALOG_PATH: `${folder}/air.json` } })

test('the example catalog in the documentation loads as described', async () => {
  expect(Object.keys(files)).toHaveLength(7)
  await keepSecrets(app.home, block('secrets'))
  await app.host.app.catalog.refresh()
  expect((await app.get('/mcp_servers')).body).toEqual(block('answer'))
  const { body } = await app.post('/sessions', { agent_root: 'web' })
  expect(body.session).toMatchObject(block('session'))
  expect(page.replaceAll('\n', ' ')).toContain(body.warnings.at(-1))
})
