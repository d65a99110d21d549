import type { Reading } from '../../../src/domain/transcripts/ingest.ts'
import type { Redactor } from '../../../src/platform/redaction/redactor.ts'

/** For tests about something else: every text stays as it is. */
export const plainRedactor: Redactor = { text: (text) => text, jsonLine: (line) => line, counts: () => new Map() }

/** Every line is stored, and nothing with it. */
export const plainReading: Reading = { isKept: () => true, alongside: async () => undefined }
