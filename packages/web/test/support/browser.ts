import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axeCore from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest'
import { launchServer, type Server } from './launch-server.ts'
import { recordOperations } from './operation-coverage.ts'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** It only ends a test that hangs: twenty tabs on a busy machine take minutes. */
const endsHangMs = 120_000

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }

type PageOptions = {
  size?: keyof typeof sizes
  theme?: 'light' | 'dark'
  isSignedOut?: boolean
  /** A server of the test's own, instead of the shared one. */
  server?: { url: string; key: string }
  /** The password of the operator, for the pages of the realm. */
  operatorPassword?: string
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
  started ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: flags,
    timeout: endsHangMs,
  })
  return started
}

afterAll(async () => {
  await (await started)?.close()
  started = undefined
})

let ofFile: Server | undefined

/**
 * Gives the tests of a file a server of their own instead of the one of the run: for tests that meet everything on a server,
 * such as the order of the board, or that change what others would meet. Files run at the same time.
 */
export function serverOfFile(options?: Parameters<typeof launchServer>[0]): void {
  beforeAll(async () => {
    ofFile = await launchServer(options)
  })
  afterAll(async () => {
    await ofFile?.stop()
    ofFile = undefined
  })
}

/** Whether other files use the same server. */
export function isServerShared(): boolean {
  return ofFile === undefined
}

/** The server that tests share, of the run or of the file: its address, and a way to prepare what a page shows. */
export function sharedServer(): Pick<Server, 'url' | 'key' | 'home' | 'call'> {
  if (ofFile) return ofFile
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
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/** A page in a browser profile of its own, signed in, closed when the test finishes. */
export async function openPage({
  size = 'desktop',
  theme = 'light',
  isSignedOut = false,
  server = sharedServer(),
  operatorPassword,
}: PageOptions = {}): Promise<OpenPage> {
  const context = await (await browser()).newContext({
    baseURL: server.url,
    viewport: sizes[size],
    colorScheme: theme,
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...(size === 'phone' && { hasTouch: true, isMobile: true }),
    ...(operatorPassword !== undefined && {
      httpCredentials: { username: 'supervisor', password: operatorPassword },
    }),
  })
  const answered = recordOperations(context)
  onTestFinished(async () => {
    await answered()
    // A read that a handler of the test passes on would be answered after the end.
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
  context.setDefaultTimeout(endsHangMs)
  await keepToasts(context)
  if (!isSignedOut) await signIn(context, server)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`threw ${error.message}`))
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript|requires 'Trusted/.test(message.text()))
      faults.push(message.text())
  })
  const goto = async (path: string): Promise<void> => {
    await page.goto(path)
    await page.locator('h1').first().waitFor({ state: 'attached' })
  }
  return { page, context, faults, goto }
}

/**
 * Keeps toasts for a minute instead of 5 or 10 seconds: on a busy machine more than that can pass between two steps of a test, and what
 * the second one waits for or clicks would be gone.
 */
export async function keepToasts(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const start = window.setTimeout
    const patched = (act: () => void, ms = 0) => start(act, ms === 5_000 || ms === 10_000 ? 60_000 : ms)
    Object.assign(window, { setTimeout: patched })
  })
}

/** Presses keys one after another, such as `g b`, without a pause in which the page would forget the first. */
export async function pressInSequence(page: Page, ...keys: string[]): Promise<void> {
  // All of them are sent before the first is answered: a page that is busy answers late.
  await Promise.all(keys.map((key) => page.keyboard.press(key)))
}

/** Goes to another address as a link inside the page does: nothing is loaded again. */
export function goOn(page: Page, path: string): Promise<void> {
  return page.evaluate((path) => {
    history.pushState(null, '', path)
    window.dispatchEvent(new PopStateEvent('popstate'))
  }, path)
}

/** Keeps back the answers to requests of this address until the returned function is called. */
export async function keepBack(page: Page, address: string | RegExp): Promise<() => void> {
  let release = (): void => undefined
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(address, async (route) => {
    await isReleased
    await route.continue()
  })
  return release
}

/** Presses a key until what it does is seen: the keys of a page are loaded after its first paint. */
export async function pressUntilSeen(page: Page, key: string, seen: Locator): Promise<void> {
  await expect
    .poll(async () => {
      if (!(await seen.isVisible())) await page.keyboard.press(key)
      return seen.isVisible()
    })
    .toBe(true)
}

/** Opens the palette, types into it, and presses Enter once the entry of this name is the one that Enter takes. */
export async function takeFromPalette(page: Page, text: string, name: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or do' }).fill(text)
  await page.locator('[role=option][data-active-item]', { hasText: name }).waitFor()
  await page.keyboard.press('Enter')
}

/** Signs the browser in with the server's key, as the sign-in page does. */
async function signIn(context: BrowserContext, { url, key }: { url: string; key: string }): Promise<void> {
  const privatePath = `/web/~${randomBytes(24).toString('base64url')}`
  await context.addInitScript(
    ([origin, path]) => {
      // Once: a page that makes its own later keeps it.
      if (location.origin === origin) localStorage['yardmaster.private-path'] ??= path
    },
    [new URL(url).origin, privatePath] as const,
  )
  const response = await context.request.post(`${privatePath}/session`, {
    headers: { origin: url, 'sec-fetch-site': 'same-origin' },
    data: { key, name: 'Ada' },
  })
  if (!response.ok()) throw new Error(`the sign-in was refused with ${response.status()}`)
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

/**
 * What a person cannot reach or read: controls and texts that leave the window or are cut off where nothing scrolls,
 * controls that lie over one another, and texts under something else. What a scroller hides can be scrolled to.
 */
export function overflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Box = { left: number; right: number; top: number; bottom: number }
    const slack = 2
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()} "${(element.textContent ?? '').trim().slice(0, 40) || element.getAttribute('aria-label')}"`
    const isVisible = (element: Element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
    const isTiny = ({ left, right, top, bottom }: Box) => right - left <= slack || bottom - top <= slack
    /** The part of a box that is in sight, and whether more of it is lost than a scroller would bring back. */
    const seen = (element: Element, box: Box): { shown: Box; isCut: boolean } => {
      // A DOMRect has no properties of its own to copy.
      const { left, right, top, bottom } = box
      let [shown, reach, isCut]: [Box, Box, boolean] = [
        { left, right, top, bottom },
        { left, right, top, bottom },
        false,
      ]
      let isFixed = getComputedStyle(element).position === 'fixed'
      for (let parent = element.parentElement; parent && !isFixed; parent = parent.parentElement) {
        const { overflowX, overflowY, position } = getComputedStyle(parent)
        const clip = parent.getBoundingClientRect()
        isFixed = position === 'fixed' || parent.matches('dialog')
        for (const [overflow, start, end] of [
          [overflowX, 'left', 'right'],
          [overflowY, 'top', 'bottom'],
        ] as const) {
          if (overflow === 'visible') continue
          shown = { ...shown, [start]: Math.max(shown[start], clip[start]), [end]: Math.min(shown[end], clip[end]) }
          if (/auto|scroll/.test(overflow)) reach = { ...reach, [start]: clip[start], [end]: clip[end] }
          else if (reach[start] < clip[start] - slack || reach[end] > clip[end] + slack) isCut = true
        }
      }
      return { shown, isCut: isCut || reach.left < -slack || reach.right > innerWidth + slack }
    }
    /** The nearest ancestor that stays in its place while something scrolls below it. */
    const bar = (element: Element | null): Element | null => {
      if (!element) return null
      return /fixed|sticky/.test(getComputedStyle(element).position) ? element : bar(element.parentElement)
    }
    const found: string[] = []
    if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways')
    // A modal dialog covers the page on purpose.
    const root = document.querySelector('dialog[open], [role=dialog]') ?? document.body
    const controls = [...root.querySelectorAll('a, button, input, select, textarea')]
      .filter(isVisible)
      .map((control) => ({ control, box: control.getBoundingClientRect() }))
      .filter(({ box }) => !isTiny(box))
      .map(({ control, box }) => ({ control, ...seen(control, box) }))
    for (const { control, isCut } of controls) if (isCut) found.push(`${name(control)} is cut off`)
    for (const [index, { control: one, shown: a }] of controls.entries()) {
      for (const { control: other, shown: b } of controls.slice(index + 1)) {
        if (one.contains(other) || other.contains(one) || bar(one) !== bar(other)) continue
        const both = {
          left: Math.max(a.left, b.left),
          right: Math.min(a.right, b.right),
          top: Math.max(a.top, b.top),
          bottom: Math.min(a.bottom, b.bottom),
        }
        if (!isTiny(both)) found.push(`${name(one)} and ${name(other)} overlap`)
      }
    }
    const isOpaque = (element: Element, [x, y]: readonly [number, number]) => {
      const { backgroundColor, backgroundImage } = getComputedStyle(element)
      if (!/^rgba\(.*, 0\)$|^transparent$/.test(backgroundColor) || backgroundImage !== 'none') return true
      // The text of a truncated element has boxes beyond the element, where nothing is drawn.
      const box = element.getBoundingClientRect()
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) return false
      return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && rectAt(node, [x, y]))
    }
    const rectsOf = (node: Node) => {
      const range = document.createRange()
      range.selectNodeContents(node)
      return [...range.getClientRects()]
    }
    const rectAt = (node: Node, [x, y]: readonly [number, number]) =>
      rectsOf(node).some(({ left, right, top, bottom }) => left < x && x < right && top < y && y < bottom)
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const { parentElement: element, textContent } = node
      const [box] = rectsOf(node)
      if (!element || !box || !textContent?.trim() || isTiny(box) || !isVisible(element)) continue
      const { shown } = seen(element, box)
      // A text that is cut with an ellipsis is in sight by its beginning.
      if (isTiny(shown)) continue
      const point = [(shown.left + shown.right) / 2, (shown.top + shown.bottom) / 2] as const
      if (box.right > innerWidth + slack && shown.right > innerWidth + slack)
        found.push(`${name(element)} leaves the window`)
      const layers = document.elementsFromPoint(...point)
      const at = layers.indexOf(element)
      const covers = at === -1 ? [] : layers.slice(0, at)
      const cover = covers.find(
        (each) => !element.contains(each) && bar(each) === bar(element) && isOpaque(each, point),
      )
      if (cover) found.push(`${name(element)} is under ${name(cover)}`)
    }
    return [...new Set(found)]
  })
}

const screenshots = fileURLToPath(new URL('../../../../.cache/screenshots/', import.meta.url))

/** Keeps a picture in `.cache/screenshots`. Look at it. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true })
  await page.screenshot({ path: `${screenshots}${name}.png` })
}
