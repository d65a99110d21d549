import type { IngestHooks } from '../../../src/domain/transcripts/ingest.ts'
import type { Redactor } from '../../../src/platform/redaction/redactor.ts'

/** Redacts nothing, for tests that are not about redaction. */
export const plainRedactor: Redactor = {
  text: async (text) => text,
  excerpt: (text) => text,
  lines: async (lines) => [...lines],
  counts: () => new Map(),
  close: async () => undefined,
}

/** Stores every line and records nothing with it. */
export const plainHooks: IngestHooks = {
  mayStore: async () => true,
  isKept: () => true,
  recordAlongside: async () => undefined,
}
