import type { Row } from './rows.ts'
import type { Turn } from './turns.ts'

export type TranscriptRowProps = { row: Row; turn: Turn | undefined; newestTurn: number; isLast: boolean }
