import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openPage, screenshot, sharedServer } from '../support/browser.ts'
import { ask, makeSession } from '../support/sessions.ts'

const lines = 700
let long: Promise<number> | undefined

/** A session of 701 entries: the prompt, and one entry for each line. */
function longSession(): Promise<number> {
  long ??= makeLong()
  return long
}

async function makeLong(): Promise<number> {
  const { call } = sharedServer()
  const prompt = Array.from({ length: lines }, (_, index) => `say This is line ${index + 1} of many.`).join('\n')
  const { session } = await call<{ session: { id: number } }>('POST', '/sessions', {
    prompt,
    title: 'Long',
    agent_root: 'sample',
  })
  await rests(session.id)
  return session.id
}

async function rests(id: number): Promise<void> {
  const { call } = sharedServer()
  await expect
    .poll(async () => (await call<{ session: { status: string } }>('GET', `/sessions/${id}`)).session.status)
    .toBe('needs_input')
}

async function openLong(hash = ''): Promise<Page> {
  const { page, goto } = await openPage()
  await goto(`/sessions/${await longSession()}${hash}`)
  await page.getByRole('region', { name: 'Transcript' }).waitFor()
  return page
}

/** The first row that is wholly in sight: its entry, and its distance from the top. */
function anchor(page: Page): Promise<{ first: number; top: number }> {
  return page.evaluate(() => {
    const scroller = document.querySelector('[aria-label=Transcript]') as HTMLElement
    const edge = scroller.getBoundingClientRect().top
    const rows = [...scroller.querySelectorAll<HTMLElement>('li[data-first]')]
      .map((row) => ({ first: Number(row.dataset.first), top: row.getBoundingClientRect().top - edge }))
      .sort((a, b) => a.top - b.top)
    return rows.find(({ top }) => top >= 0) ?? { first: 0, top: 0 }
  })
}

function topOf(page: Page, first: number): Promise<number | undefined> {
  return page.evaluate((wanted) => {
    const scroller = document.querySelector('[aria-label=Transcript]') as HTMLElement
    const row = scroller.querySelector(`li[data-first="${wanted}"]`)
    return row ? row.getBoundingClientRect().top - scroller.getBoundingClientRect().top : undefined
  }, first)
}

/** Returns when rows cover the whole window at the new place: two scrolls before that would pass over some. */
function scroll(page: Page, by: number): Promise<void> {
  return page.evaluate(async (px) => {
    const scroller = document.querySelector('[aria-label=Transcript]') as HTMLElement
    const isCovered = () => {
      const { top, bottom } = scroller.getBoundingClientRect()
      const rows = [...scroller.querySelectorAll('li[data-first]')].map((row) => row.getBoundingClientRect())
      // There is some room above the first row and below the last one.
      const isAtEdge = {
        first: scroller.scrollTop < 20,
        last: scroller.scrollHeight - scroller.scrollTop - bottom + top < 30,
      }
      return (
        (isAtEdge.first || rows.some((row) => row.top <= top + 1)) &&
        (isAtEdge.last || rows.some((row) => row.bottom >= bottom - 1))
      )
    }
    scroller.scrollTop += px
    do for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame)
    while (!isCovered())
  }, by)
}

/** The entries in sight or near it, from top to bottom. */
function rowsInOrder(page: Page): Promise<number[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[aria-label=Transcript] li[data-first]')]
      .map((row) => ({ first: Number(row.dataset.first), top: row.getBoundingClientRect().top }))
      .sort((a, b) => a.top - b.top)
      .map(({ first }) => first),
  )
}

async function settles(page: Page): Promise<void> {
  let before = ''
  await expect
    .poll(
      async () => {
        // Rows are measured and put in their places by frames, which a busy machine draws late.
        await page.evaluate(async () => {
          for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame)
        })
        const now = JSON.stringify([await anchor(page), await rowsInOrder(page)])
        const isStill = now === before
        before = now
        return isStill
      },
      { interval: 150 },
    )
    .toBe(true)
}

test('opens a long transcript at its end, with few elements on the page', async () => {
  const page = await openLong()
  await page.getByText(`This is line ${lines} of many.`).first().waitFor()
  expect(await page.locator('[aria-label=Transcript] li').count()).toBeLessThan(60)
})

test('what a person reads stays in place while earlier entries are added above it', async () => {
  const page = await openLong()
  await page.getByText(`This is line ${lines} of many.`).first().waitFor()
  await settles(page)
  // The earlier entries come when it is known what the person reads.
  let answer = (): void => undefined
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/before=/, async (route) => {
    await isAnswered
    await route.continue()
  })
  await page.evaluate(() => {
    const scroller = document.querySelector('[aria-label=Transcript]') as HTMLElement
    scroller.scrollTop = 120
  })
  await settles(page)
  const read = await anchor(page)
  const [loaded = 0] = await rowsInOrder(page)
  answer()
  await expect.poll(async () => (await rowsInOrder(page))[0]).toBeLessThan(loaded)
  await settles(page)
  const top = await topOf(page, read.first)
  expect(Math.abs((top ?? Number.NaN) - read.top)).toBeLessThanOrEqual(4)
  await scroll(page, -200)
  await settles(page)
  const rows = await rowsInOrder(page)
  expect(rows).toEqual([...rows].sort((a, b) => a - b))
})

test('what a person reads stays in place while the agent writes, and one press goes to the end', async () => {
  const { call } = sharedServer()
  const id = await longSession()
  const page = await openLong()
  await page.getByText(`This is line ${lines} of many.`).first().waitFor()
  await settles(page)
  await scroll(page, -900)
  await settles(page)
  const read = await anchor(page)
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'say A new line\nsay The newest line' })
  const jump = page.getByRole('button', { name: /new · jump to end/ })
  await jump.waitFor()
  await rests(id)
  await settles(page)
  expect(Math.abs(((await topOf(page, read.first)) ?? Number.NaN) - read.top)).toBeLessThanOrEqual(2)
  await screenshot(page, 'session-new-entries')
  await jump.click()
  await page.getByRole('article', { name: 'Agent' }).getByText('The newest line').waitFor()
  await jump.waitFor({ state: 'detached' })
  await call('POST', `/sessions/${id}/follow_up`, { prompt: 'say Followed by itself' })
  await page.getByRole('article', { name: 'Agent' }).getByText('Followed by itself').waitFor()
  await expect.poll(() => toTheEnd(page)).toBeLessThan(60)
  await rests(id)
})

/** How much of the transcript is below the window. */
function toTheEnd(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollHeight, scrollTop, clientHeight } = document.querySelector('[aria-label=Transcript]') as HTMLElement
    return scrollHeight - scrollTop - clientHeight
  })
}

test('a question that appears leaves the last entry in sight of a person who reads at the end', async () => {
  const said = Array.from({ length: 60 }, (_, index) => `say Entry ${index + 1}`).join('\n')
  const { id } = await makeSession('Asks at the end', said)
  const { page, faults, goto } = await openPage()
  await goto(`/sessions/${id}`)
  await page.getByRole('article', { name: 'Agent' }).getByText('Entry 60', { exact: true }).waitFor()
  await settles(page)
  await expect.poll(() => toTheEnd(page)).toBeLessThan(5)
  const heightOf = () => page.getByRole('region', { name: 'Transcript' }).evaluate((list) => list.clientHeight)
  const before = await heightOf()
  await ask(id, 'Is the last entry in sight?')
  await page.getByRole('form', { name: 'Question: Is the last entry in sight?' }).waitFor()
  // By more than the distance at which a reader counts as being at the end.
  expect(await heightOf()).toBeLessThan(before - 48)
  await expect.poll(() => toTheEnd(page)).toBeLessThan(5)
  expect(faults).toEqual([])
})

test('the composer and a question stay above the keyboard of a phone', async () => {
  const { id } = await makeSession('Above the keyboard')
  await ask(id, 'Is it above the keyboard?')
  const { page, faults, goto } = await openPage({ size: 'phone' })
  await goto(`/sessions/${id}`)
  const composer = page.getByRole('form', { name: 'Message to the agent' })
  const accept = page.getByRole('button', { name: 'Accept' })
  await accept.waitFor()
  const below = (element: Locator) => element.evaluate((each) => innerHeight - each.getBoundingClientRect().bottom)
  const keyboardPx = 320
  /** Chromium has no on-screen keyboard here. One that lies over the page makes the visual viewport smaller, and nothing else. */
  const coverBelow = (px: number) =>
    page.evaluate((covered) => {
      const viewport = visualViewport as VisualViewport
      Object.defineProperty(viewport, 'height', { configurable: true, value: innerHeight - covered })
      viewport.dispatchEvent(new Event('resize'))
    }, px)
  expect(await below(composer)).toBeLessThan(keyboardPx)
  await coverBelow(keyboardPx)
  await expect.poll(() => below(composer)).toBeGreaterThanOrEqual(keyboardPx)
  await expect.poll(() => below(accept)).toBeGreaterThan(keyboardPx)
  await coverBelow(0)
  await expect.poll(() => below(composer)).toBeLessThan(keyboardPx)
  expect(faults).toEqual([])
})

test('a person who scrolls up through a long transcript sees rows in every frame', async () => {
  const page = await openLong()
  await page.getByText(`This is line ${lines} of many.`).first().waitFor()
  await settles(page)
  const seen = await page.evaluate(async () => {
    const scroller = document.querySelector('[aria-label=Transcript]') as HTMLElement
    const { top, bottom } = scroller.getBoundingClientRect()
    const [perFrame, frames] = [40, 200]
    const tops = new Set<number>()
    let blank = 0
    for (let frame = 0; frame < frames; frame += 1) {
      scroller.scrollTop -= perFrame
      await new Promise(requestAnimationFrame)
      const rows = [...scroller.querySelectorAll<HTMLElement>('li[data-first]')]
      const inSight = rows.filter((row) => {
        const place = row.getBoundingClientRect()
        return place.bottom > top && place.top < bottom
      })
      if (inSight.length === 0) blank += 1
      for (const row of inSight) tops.add(Number(row.dataset.first))
    }
    return { blank, rows: tops.size }
  })
  expect(seen.blank).toBe(0)
  // It did scroll: more rows than a window shows.
  expect(seen.rows).toBeGreaterThan(40)
})

test('a link to an entry opens the transcript there, and reading on reaches the end without a gap', async () => {
  const page = await openLong('#e100')
  const linked = page.getByText('This is line 99 of many.')
  await linked.waitFor()
  await settles(page)
  const seen = new Set<number>()
  const isDone = async () => {
    for (const first of await rowsInOrder(page)) seen.add(first)
    await scroll(page, 450)
    return seen.has(lines + 1)
  }
  await expect.poll(isDone, { interval: 30 }).toBe(true)
  const missing = Array.from({ length: lines - 100 }, (_, index) => index + 101).filter((first) => !seen.has(first))
  expect(missing).toEqual([])
})

test('finds a phrase in entries that are not loaded yet, and goes to it', async () => {
  const page = await openLong()
  await page.getByText(`This is line ${lines} of many.`).first().waitFor()
  await page.getByRole('button', { name: 'Find in the transcript' }).click()
  await page.getByRole('textbox', { name: 'Find in the transcript' }).fill('line 42 of')
  await page.getByText('2 of 2').waitFor()
  await page.getByRole('article', { name: 'Agent' }).getByText('This is line 42 of many.').waitFor()
  await screenshot(page, 'session-find')
})
