import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loopbackCertificate } from '../../../server/test/support/oauth/certificate.mjs'
import { axe, homeFolder, openPage, overflows, screenshot, startServer } from '../support/browser.ts'
import type { Server } from '../support/launch-server.ts'

test('a person authorizes a server by pasting the address they land on, and the session that waits goes on', async () => {
  const { server } = await serverWithConnectors()
  const { session } = await server.call<{ session: { id: number } }>('POST', '/sessions', {
    prompt: 'say hello',
    title: 'Plan the week',
    agent_root: 'sample',
    mcp_servers: ['calendar'],
  })
  const { page, faults, goto } = await openPage({ server })
  await goto('/connectors')
  const calendar = page.getByRole('listitem').filter({ hasText: 'Team calendar' })
  await calendar.getByRole('link', { name: 'Plan the week' }).waitFor()
  await screenshot(page, 'connectors')
  await calendar.getByRole('button', { name: 'Authorize' }).click()
  const dialog = page.getByRole('dialog', { name: 'Authorize calendar' })
  const consent = await dialog.getByRole('link', { name: 'Give your consent' }).getAttribute('href')
  await screenshot(page, 'connectors-paste')
  expect(await axe(page)).toEqual([])
  const state = new URL(consent ?? '').searchParams.get('state') ?? ''
  await dialog.getByLabel('Address, or code').fill('https://elsewhere.example/callback?code=wrong&state=forged')
  await dialog.getByRole('button', { name: 'Complete' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Address, or code').fill(`https://elsewhere.example/callback?code=good&state=${state}`)
  await dialog.getByRole('button', { name: 'Complete' }).click()
  await page.getByText('calendar is authorized; 1 session goes on').waitFor()
  await calendar.getByText('ready').waitFor()
  await calendar.getByText('Its authorization server gives no refresh tokens').waitFor()
  await goto(`/sessions/${session.id}`)
  await page.getByText('hello', { exact: true }).first().waitFor()
  expect(faults).toEqual([])
})

test('a session that waits for a server is helped from the inbox, and goes on', async () => {
  const { server } = await serverWithConnectors()
  await server.call('POST', '/sessions', {
    prompt: 'say hello',
    title: 'Plan the week',
    agent_root: 'sample',
    mcp_servers: ['calendar'],
  })
  const { page, faults, goto } = await openPage({ server })
  await goto('/inbox')
  const card = page.getByRole('listitem').filter({ hasText: 'Plan the week' })
  await card.getByText('Needs a sign-in').waitFor()
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await card.getByRole('button', { name: 'Authorize calendar' }).click()
  const dialog = page.getByRole('dialog', { name: 'Authorize calendar' })
  const consent = await dialog.getByRole('link', { name: 'Give your consent' }).getAttribute('href')
  const state = new URL(consent ?? '').searchParams.get('state') ?? ''
  await dialog.getByLabel('Address, or code').fill(`https://elsewhere.example/callback?code=good&state=${state}`)
  await dialog.getByRole('button', { name: 'Complete' }).click()
  await page.getByText('calendar is authorized; 1 session goes on').waitFor()
  await card.getByText('Done, unread').waitFor()
  expect(faults).toEqual([])
})

test('a person authorizes a server by its consent page, and disconnects it', async () => {
  const { server, origin } = await serverWithConnectors()
  const { page, faults, goto } = await openPage({ server })
  // The page of the authorization server, which sends the person back with a code.
  await page.route(`${origin}/authorize*`, (route) => {
    const asked = new URL(route.request().url()).searchParams
    const back = new URL(asked.get('redirect_uri') ?? '')
    const location = `${server.url}${back.pathname}?code=good&state=${asked.get('state')}`
    return route.fulfill({ status: 302, headers: { location } })
  })
  await goto('/connectors')
  const mail = page.getByRole('listitem').filter({ hasText: 'Team mail' })
  await mail.getByRole('button', { name: 'Authorize' }).click()
  await page.getByText('mail is authorized').waitFor()
  await expect.poll(() => page.url()).not.toContain('authorized=')
  await mail.getByText('ready').waitFor()
  const authorized = mail.getByText(/^Authorized /)
  await authorized.waitFor()
  const consents = page.waitForRequest(`${origin}/authorize*`)
  await mail.getByRole('button', { name: 'Authorize again' }).click()
  await consents
  await page.getByText('mail is authorized').waitFor()
  await authorized.waitFor()
  await mail.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await mail.getByText('not authorized').waitFor()
  expect(faults).toEqual([])
})

test('the page changes by itself when another person authorizes a server, and when a session waits for one', async () => {
  const { server } = await serverWithConnectors()
  const { page, context, faults, goto } = await openPage({ server })
  await context.addInitScript(() => {
    // Without the reads at intervals: the events alone must do.
    const every = window.setInterval
    const patched = (act: () => void, ms = 0) => every(act, ms >= 10_000 ? 2 ** 30 : ms)
    Object.assign(window, { setInterval: patched })
  })
  await goto('/connectors')
  const calendar = page.getByRole('listitem').filter({ hasText: 'Team calendar' })
  await calendar.getByText('not authorized').waitFor()
  await server.call('POST', '/sessions', {
    prompt: 'say hello',
    title: 'Plan the week',
    agent_root: 'sample',
    mcp_servers: ['calendar'],
  })
  await calendar.getByRole('link', { name: 'Plan the week' }).waitFor()
  const { state } = await server.call<{ state: string }>('POST', '/connectors/calendar/authorize', {})
  await server.call('POST', '/connectors/complete', { state, redirect_response: 'good' })
  await calendar.getByText('ready').waitFor()
  await calendar.getByRole('link', { name: 'Plan the week' }).waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test.each([
  { size: 'desktop', theme: 'dark' },
  { size: 'phone', theme: 'light' },
] as const)('the connectors on a $size in the $theme theme name what is missing, and have no fault', async (look) => {
  const { server } = await serverWithConnectors()
  const { page, context, faults, goto } = await openPage({ server, ...look })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goto('/connectors')
  await page.getByText('2 of 4 MCP servers need you').or(page.getByText('3 of 4 MCP servers need you')).waitFor()
  await page.getByText('TRACKER_TOKEN_OF_THIS_TEST', { exact: true }).waitFor()
  await screenshot(page, `connectors-${look.size}-${look.theme}`)
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  const tracker = page.getByRole('listitem').filter({ hasText: 'Tracker' }).first()
  for (const [label, value] of [
    ['address', 'https://tracker.example/mcp'],
    ['TRACKER_TOKEN_OF_THIS_TEST', 'TRACKER_TOKEN_OF_THIS_TEST'],
  ]) {
    await tracker.getByRole('button', { name: `Copy ${label}` }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(value)
  }
  await page.getByRole('searchbox', { name: 'Filter' }).fill('track')
  await page.getByText('Team mail').waitFor({ state: 'detached' })
  await expect.poll(() => page.url()).toContain('find=track')
  expect(faults).toEqual([])
})

test('the credential of a server that left the catalog is named, and deleted when a person says so', async () => {
  const { server, removeFromCatalog } = await serverWithConnectors()
  const { page, faults, goto } = await openPage({ server })
  await goto('/connectors')
  const calendar = page.getByRole('listitem').filter({ hasText: 'Team calendar' })
  await calendar.getByRole('button', { name: 'Authorize' }).click()
  const dialog = page.getByRole('dialog', { name: 'Authorize calendar' })
  const consent = await dialog.getByRole('link', { name: 'Give your consent' }).getAttribute('href')
  const state = new URL(consent ?? '').searchParams.get('state') ?? ''
  await dialog.getByLabel('Address, or code').fill(`https://elsewhere.example/callback?code=good&state=${state}`)
  await dialog.getByRole('button', { name: 'Complete' }).click()
  await calendar.getByText('ready').waitFor()
  await removeFromCatalog('calendar')
  type Listed = { orphaned_credentials: { server_name: string }[] }
  const orphaned = async () => (await server.call<Listed>('GET', '/connectors')).orphaned_credentials
  await expect.poll(async () => (await orphaned()).map(({ server_name }) => server_name)).toEqual(['calendar'])
  await goto('/connectors')
  const panel = page.locator('section', { hasText: 'Credentials that no MCP server uses' })
  await panel.getByText('calendar', { exact: true }).waitFor()
  await screenshot(page, 'connectors-orphaned')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await panel.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await panel.waitFor({ state: 'detached' })
  expect(await orphaned()).toEqual([])
  expect(faults).toEqual([])
})

/** A server whose catalog has one MCP server of each kind, and an authorization server that takes the code `good`. */
async function serverWithConnectors(): Promise<{
  server: Server
  origin: string
  removeFromCatalog: (name: string) => Promise<void>
}> {
  const certificate = loopbackCertificate()
  const authorizationServer = createServer(certificate, async (request, answer) => {
    const form = new URLSearchParams((await request.toArray()).join(''))
    const isGood = form.get('code') === 'good'
    answer.writeHead(isGood ? 200 : 400, { 'content-type': 'application/json' })
    const tokens = { access_token: `token-${Math.random()}-of-a-test`, token_type: 'Bearer', expires_in: 3600 }
    answer.end(JSON.stringify(isGood ? tokens : { error: 'invalid_grant' }))
  })
  await new Promise<void>((resolve) => authorizationServer.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void authorizationServer.close())
  const origin = `https://127.0.0.1:${(authorizationServer.address() as AddressInfo).port}`
  const files = await homeFolder()
  const oauth = {
    clientId: 'a-client',
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
  }
  const entries = {
    calendar: {
      ...{
        type: 'streamable-http',
        title: 'Team calendar',
        description: 'Reads and plans meetings',
        url: `${origin}/mcp`,
      },
      oauth: { ...oauth, redirectUri: 'https://elsewhere.example/callback' },
    },
    mail: { type: 'streamable-http', title: 'Team mail', description: 'Reads mail', url: `${origin}/mail`, oauth },
    tracker: {
      ...{ type: 'streamable-http', title: 'Tracker', description: 'Issues', url: 'https://tracker.example/mcp' },
      headers: { authorization: `Bearer \${TRACKER_TOKEN_OF_THIS_TEST}` },
    },
    notes: { type: 'stdio', title: 'Notes', description: 'A notebook', command: 'cat' },
  }
  await writeFile(join(files, 'ca.pem'), certificate.cert)
  await writeFile(join(files, 'mcp.json'), JSON.stringify(entries))
  const roots = { sample: { description: 'A repository', url: `\${YARDMASTER_HOME}/sample-repository` } }
  await writeFile(join(files, 'roots.json'), JSON.stringify(roots))
  await writeFile(join(files, 'air.json'), JSON.stringify({ name: 'tests', mcp: ['mcp.json'], roots: ['roots.json'] }))
  const environment = {
    CATALOG_PATH: files,
    NODE_EXTRA_CA_CERTS: join(files, 'ca.pem'),
    OAUTH_ALLOWED_ORIGINS: origin,
  }
  const removeFromCatalog = (name: string) => {
    const rest = Object.entries(entries).filter(([each]) => each !== name)
    return writeFile(join(files, 'mcp.json'), JSON.stringify(Object.fromEntries(rest)))
  }
  return { server: await startServer({ environment }), origin, removeFromCatalog }
}
