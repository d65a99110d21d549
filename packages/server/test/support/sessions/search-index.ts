import { indexDocuments } from '../../../src/domain/search/index-documents.ts'
import { indexTranscripts } from '../../../src/domain/search/index-transcripts.ts'
import type { TestApp } from '../app/app.ts'

/** Brings the search index up to date without waiting for a worker. */
export async function indexAll({ host }: TestApp): Promise<void> {
  for (const step of [indexDocuments, indexTranscripts]) while (await step(host.app, { settleMs: 0 }));
}
