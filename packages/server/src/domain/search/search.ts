/** The face of the room: finding sessions by a text. */
declare module '../app.ts' {
  interface App {
    contentSearch: {
      /** A content search that has not found its page by then answers with what it has. */
      budgetSeconds: number
      /** Candidates a page is filled from at a time, which decides where the next call goes on. */
      chunkSessions: number
    }
  }
}

export type { Phrase } from './phrase.ts'
