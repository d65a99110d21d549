import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axeCore from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, inject, onTestFinished } from 'vitest'
import { launchServer, type Server } from './launch-server.ts'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }

type PageOptions = {
  size?: keyof typeof sizes
  theme?: 'light' | 'dark'
  isSignedOut?: boolean
  /** A server of the test's own, instead of the shared one. */
  server?: { url: string; key: string }
}

export type OpenPage = {
  page: Page
  context: BrowserContext
  /** What the content security policy or Trusted Types refused, and what the page threw. A test expects none. */
  faults: string[]
  /** Opens a path of the dashboard and waits until its page is shown. */
  goto(path: string): Promise<void>
}

let started: Promise<Browser> | undefined

/** One browser for a file, started for its first page. */
function browser(): Promise<Browser> {
  started ??= chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags })
  return started
}

afterAll(async () => {
  await (await started)?.close()
  started = undefined
})

/** The server of the run: its address, and a way to prepare what a page shows. */
export function sharedServer(): Pick<Server, 'url' | 'key' | 'home' | 'call'> {
  const { url, key, home } = inject('server')
  return {
    url,
    key,
    home,
    call: async (method, path, body) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
  }
}

/** A server of the test's own, for tests that kill it. To start it again, give it the `home` and `port` of the first. */
export async function startServer(options?: Parameters<typeof launchServer>[0]): Promise<Server> {
  const server = await launchServer(options)
  onTestFinished(() => server.stop())
  return server
}

/** A home that outlives the server that is killed in it. */
export async function homeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-web-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A page in a browser profile of its own, signed in, closed when the test finishes. */
export async function openPage({
  size = 'desktop',
  theme = 'light',
  isSignedOut = false,
  server = sharedServer(),
}: PageOptions = {}): Promise<OpenPage> {
  const context = await (await browser()).newContext({
    baseURL: server.url,
    viewport: sizes[size],
    colorScheme: theme,
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...(size === 'phone' && { hasTouch: true, isMobile: true }),
  })
  onTestFinished(() => context.close())
  // It only ends a test that hangs.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`threw ${error.message}`))
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript|requires 'Trusted/.test(message.text()))
      faults.push(message.text())
  })
  if (!isSignedOut) await signIn(page, server)
  const goto = async (path: string): Promise<void> => {
    await page.goto(path)
    await page.locator('h1').first().waitFor({ state: 'attached' })
  }
  return { page, context, faults, goto }
}

/** Signs the browser in with the server's key, as the sign-in page does. */
export async function signIn(page: Page, server: { key: string } = sharedServer()): Promise<void> {
  await page.goto('/sign-in')
  const status = await page.evaluate(async (key) => {
    const response = await fetch('/web/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key, name: 'Ada' }),
    })
    return response.status
  }, server.key)
  if (status >= 300) throw new Error(`the sign-in was refused with ${status}`)
}

/** The serious and critical faults that axe finds, as readable lines. */
export async function axe(page: Page): Promise<string[]> {
  const devtools = await page.context().newCDPSession(page)
  // By the debugger: the page's policy would refuse an injected script.
  await devtools.send('Runtime.evaluate', { expression: axeCore.source })
  const { result } = await devtools.send('Runtime.evaluate', {
    expression: `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) =>
      violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary.split('\\n').slice(1, 2).join('').trim())))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await devtools.detach()
  return result.value as string[]
}

/** What is wider than the window, and controls that cover one another. */
export function overflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()} "${(element.textContent ?? '').trim().slice(0, 40) || element.getAttribute('aria-label')}"`
    const isVisible = (element: Element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
    const isInScroller = (element: Element): boolean => {
      const parent = element.parentElement
      if (!parent) return false
      return /auto|scroll|hidden|clip/.test(getComputedStyle(parent).overflowX) || isInScroller(parent)
    }
    // What a scroller clips is not seen, and covers nothing.
    const shownRect = (element: Element) => {
      let { left, right, top, bottom } = element.getBoundingClientRect()
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        if (!/auto|scroll|hidden|clip/.test(getComputedStyle(parent).overflowY)) continue
        const clip = parent.getBoundingClientRect()
        left = Math.max(left, clip.left)
        right = Math.min(right, clip.right)
        top = Math.max(top, clip.top)
        bottom = Math.min(bottom, clip.bottom)
      }
      return { left, right, top, bottom }
    }
    const found: string[] = []
    if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways')
    // A modal dialog covers the page on purpose.
    const root = document.querySelector('dialog[open], [role=dialog]') ?? document
    const controls = [...root.querySelectorAll('a, button, input, select, textarea')].filter(isVisible)
    for (const control of controls) {
      const { left, right, width, height } = control.getBoundingClientRect()
      if (width <= 1 || height <= 1 || getComputedStyle(control).position === 'fixed') continue
      if ((right > innerWidth + 1 || left < -1) && !isInScroller(control))
        found.push(`${name(control)} leaves the window`)
    }
    for (const [index, one] of controls.entries()) {
      for (const other of controls.slice(index + 1)) {
        if (one.contains(other) || other.contains(one)) continue
        const [a, b] = [shownRect(one), shownRect(other)]
        const overlap =
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2
        if (!overlap) continue
        // A fixed bar lies over what scrolls below it.
        const [x, y] = [
          (Math.max(a.left, b.left) + Math.min(a.right, b.right)) / 2,
          (Math.max(a.top, b.top) + Math.min(a.bottom, b.bottom)) / 2,
        ]
        const top = document.elementFromPoint(x, y)
        const [oneIsHit, otherIsHit] = [one.contains(top), other.contains(top)]
        if (oneIsHit !== otherIsHit && one.closest('main') === other.closest('main')) {
          found.push(`${name(one)} and ${name(other)} overlap`)
        }
      }
    }
    return found
  })
}

const screenshots = fileURLToPath(new URL('../../../../.cache/screenshots/', import.meta.url))

/** Keeps a picture in `.cache/screenshots`. Look at it. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true })
  await page.screenshot({ path: `${screenshots}${name}.png` })
}
