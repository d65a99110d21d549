/** The face of the room: searching sessions for a text. */
declare module '../app.ts' {
  interface App {
    contentSearch: {
      /** A content search answers with a partial page when it exceeds this. */
      budgetSeconds: number
      /** Candidates are counted in chunks of this size; the next call continues at the end of one. */
      chunkSessions: number
    }
  }
}

export type { Phrase } from './phrase.ts'
