import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The built file of a module that is loaded on its own. */
export async function fileOf(module: string): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../../dist/manifest.json', import.meta.url), 'utf8'))
  return manifest[module].file
}

/** The browser reaches neither the files of these modules nor the probe of the server, until the answer is called. */
export async function cutOff(page: Page, ...modules: string[]): Promise<() => Promise<void>> {
  // The probe last: a file that is out of reach although the server answers is one of another version.
  const addresses = [...(await Promise.all(modules.map(async (module) => `**/${await fileOf(module)}`))), '**/up']
  for (const address of addresses) await page.route(address, (route) => route.abort('connectionrefused'))
  return async () => {
    for (const address of addresses) await page.unroute(address)
  }
}

/** Acts, and waits until the page has asked for the server twice in vain: what a failed file does to the page has happened by then. */
export async function inVain(page: Page, act: () => Promise<unknown>): Promise<void> {
  let probes = 0
  page.on('requestfailed', (request) => {
    if (new URL(request.url()).pathname === '/up') probes += 1
  })
  await act()
  await expect.poll(() => probes).toBeGreaterThan(1)
}
