import type { Answer, TestApp } from '../app/app.ts'
import { insertSession, insertTranscript } from './session-rows.ts'

/** An assistant entry with one text. */
export const says = (text: string) => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
})

/** This many different entries. */
export const count = (n: number) => Array.from({ length: n }, (_, index) => says(`entry ${index + 1}`))

/** Sessions with given entries, and the pages that the API answers of them. */
export function entryHelpers(app: TestApp) {
  const page = async (id: number, query = ''): Promise<Answer['body']> =>
    (await app.get(`/sessions/${id}/entries${query}`)).body
  return {
    page,
    /** A string is stored as it is, anything else as JSON. */
    sessionWith: async (entries: readonly unknown[], columns = {}): Promise<number> => {
      const id = await insertSession(app.pool, columns)
      const lines = entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
      await insertTranscript(app.pool, id, lines)
      return id
    },
    /** A page with the sequences of its entries in place of the entries. */
    sequences: async (id: number, query = '') => {
      const { entries, ...rest } = await page(id, query)
      return { entries: entries.map(({ sequence }: { sequence: number }) => sequence), ...rest }
    },
  }
}
