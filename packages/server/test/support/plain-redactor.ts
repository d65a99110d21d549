import type { Redactor } from '../../src/platform/redaction/redactor.ts'

/** For tests about something else: every text stays as it is. */
export const plainRedactor: Redactor = { text: (text) => text, jsonLine: (line) => line, counts: () => new Map() }

export const nothingAlongside = async (): Promise<void> => undefined
