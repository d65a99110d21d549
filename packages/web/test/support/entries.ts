import type { Page } from 'playwright-core'

/** Changes what the page reads of transcripts: the demo agent says one line at a time, and reads no files. */
export async function rewriteEntries(page: Page, rewrite: (body: string) => string): Promise<void> {
  await page.route(/\/entries\?/, async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: rewrite(await answer.text()) })
  })
}

/** A text as it stands within a string of JSON. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A block of code in Markdown. */
export function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``
}
