import { defineEndpoint } from '../endpoint.ts'
import { ArchiveFilters, ArchiveStatus } from './fields.ts'

const tag = 'Transcript archive'

export const showArchiveStatus = defineEndpoint({
  name: 'transcript_archive.status',
  auth: 'api_key',
  method: 'GET',
  path: '/transcript_archive/status',
  tag,
  summary: 'Show how recent and how large the transcript archive is',
  description: 'Until there is an archive, the 404 has a `state` of `never_built` or `missing`, and `archive_path`.',
  answers: { 200: ArchiveStatus },
  refusals: ['no_archive'],
})

export const downloadArchive = defineEndpoint({
  name: 'transcript_archive.download',
  auth: 'api_key',
  method: 'GET',
  path: '/transcript_archive/download',
  tag,
  summary: 'Download the transcripts of all sessions as one zip',
  description:
    'The zip has `manifest.json` with the SHA-256 of each file, `sessions/<id>.json`, and one file for each subagent. `X-Archive-Generated-At`, `X-Archive-Session-Count`, `X-Archive-Stale`, `X-Archive-Stale-Reason` and `X-Archive-Complete` say what it contains. `Range` continues an interrupted download; send the `ETag` as `If-Range`, and the rest is of the same archive, also if sessions have changed since. A host sends four at a time, and answers 503 with `Retry-After` to others. At most ten minutes behind the sessions; to find a text, use the search.',
  query: ArchiveFilters,
  answers: { 200: 'zip' },
  refusals: ['no_archive', 'too_many_downloads'],
})

export const endpoints = [showArchiveStatus, downloadArchive] as const
