import { expect, test } from 'vitest'
import { openPage, sharedServer } from '../support/browser.ts'

const { url } = sharedServer()

/** Width and height are in the first chunk of every PNG. */
async function sizeOfPng(path: string): Promise<string> {
  const response = await fetch(url + path)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`
}

test('the dashboard can be installed as an app: its manifest names icons that have the sizes it says', async () => {
  const manifest = (await (await fetch(`${url}/app.webmanifest`)).json()) as {
    icons: { src: string; sizes: string; type: string; purpose?: string }[]
  }
  const pictures = manifest.icons.filter(({ type }) => type === 'image/png')
  for (const { src, sizes } of pictures) expect(await sizeOfPng(src), src).toBe(sizes)
  expect(pictures.map(({ sizes, purpose = 'any' }) => `${sizes} ${purpose}`)).toEqual([
    '192x192 any',
    '512x512 any',
    '512x512 maskable',
  ])

  const { page, goto } = await openPage()
  await goto('/inbox')
  const icon = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
  expect(await sizeOfPng(String(icon))).toBe('180x180')
  // Chromium's own judgement of the manifest.
  const devtools = await page.context().newCDPSession(page)
  const { errors } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
})
