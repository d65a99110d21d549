import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'

/** Holds a write back until the test says how it is answered. */
export async function holdBack(page: Page, address: string) {
  const held: Route[] = []
  await page.route(address, (route) => void held.push(route))
  const next = async (): Promise<Route> => {
    await expect.poll(() => held.length).toBe(1)
    return held.pop() as Route
  }
  return {
    passOn: async () => (await next()).continue(),
    refuse: async (message: string) => {
      const route = await next()
      await route.fulfill({ status: 503, json: { error: 'Service Unavailable', message, messages: [message] } })
      await page.getByRole('status').getByText(message).waitFor()
    },
  }
}

/** Counts the requests that are on their way at the same time. The first is kept back until it is released. */
export async function countAtOnce(page: Page, address: string) {
  let release = (): void => undefined
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  let [underway, most] = [0, 0]
  await page.route(address, async (route) => {
    underway += 1
    most = Math.max(most, underway)
    await isReleased
    const response = await route.fetch()
    underway -= 1
    await route.fulfill({ response })
  })
  return { release: () => release(), most: () => most }
}
