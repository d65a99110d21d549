import { describe, expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { looks } from '../support/looks.ts'

const paths = [
  '/',
  '/inbox',
  '/sessions/new',
  '/search',
  '/triggers',
  '/triggers/new',
  '/notifications',
  '/costs',
  '/backlog',
  '/outcomes',
  '/gate_decisions',
  '/health-report',
  '/connectors',
  '/inference',
  '/clis',
  '/settings',
  '/catalog',
  '/no-such-page',
]

describe.each(looks)('on a $size in the $theme theme', (look) => {
  test('every page opens without a fault of the policy, of accessibility or of the layout', async () => {
    const { call } = sharedServer()
    const { session } = await call<{ session: { id: number } }>('POST', '/sessions', {
      prompt: 'Say hello',
      title: 'Say hello to the yard',
      agent_root: 'sample',
    })
    const { page, faults, goto } = await openPage(look)
    for (const path of [...paths, `/sessions/${session.id}`]) {
      await goto(path)
      await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' })
      await screenshot(page, `${look.size}-${look.theme}${path.replaceAll('/', '_')}`)
      expect({ path, faults: await axe(page) }).toEqual({ path, faults: [] })
      expect({ path, faults: await overflows(page) }).toEqual({ path, faults: [] })
    }
    expect(faults).toEqual([])
  })
})
