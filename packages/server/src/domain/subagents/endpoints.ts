import { IdParam, SessionRef } from '@yardmaster/contract/identifiers'
import { queryBoolean } from '@yardmaster/contract/query'
import {
  NewSubagentTranscript,
  ShownSubagentTranscript,
  SubagentFilters,
  SubagentTranscript,
  SubagentTranscriptChanges,
} from '@yardmaster/contract/subagents/fields'
import { z } from 'zod'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { defineEndpoint, listEndpoint } from '../app.ts'
import {
  changeSubagent,
  createSubagent,
  listSubagents,
  readSubagent,
  removeSubagent,
  showSubagent,
} from './caller-subagents.ts'
import { presentSubagent } from './present-subagent.ts'

const tag = 'Subagent transcripts'
const ofSession = z.object({ session_id: SessionRef })
const params = ofSession.extend({ id: IdParam })
const OneSubagent = z.object({ subagent_transcript: SubagentTranscript })
const path = '/sessions/{session_id}/subagent_transcripts'

export const endpoints = [
  listEndpoint({
    path,
    tag,
    summary: 'List the subagents of a session, newest first',
    key: 'subagent_transcripts',
    item: SubagentTranscript,
    params: ofSession,
    filters: SubagentFilters,
    find: async ({ params, filters, page }, app) => {
      const { subagents, totalCount } = await listSubagents(app, params.session_id, filters, page)
      return { items: subagents.map(presentSubagent), totalCount }
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: `${path}/{id}`,
    tag,
    summary: 'Show a subagent, with its transcript if asked',
    params,
    query: z.object({
      include_transcript: queryBoolean({ default: false }).meta({ description: 'Adds the whole transcript.' }),
    }),
    answers: { 200: z.object({ subagent_transcript: ShownSubagentTranscript }) },
    handle: async ({ params, query }, app) => {
      const subagent = await showSubagent(app, params.session_id, params.id)
      const transcript = query.include_transcript ? { transcript: await readSubagent(app, subagent) } : {}
      return ok({ subagent_transcript: { ...presentSubagent(subagent), ...transcript } })
    },
  }),
  defineEndpoint({
    method: 'POST',
    path,
    tag,
    summary: 'Record a subagent',
    description: 'Those that a runtime keeps transcripts of are recorded by the service itself.',
    params: ofSession,
    body: NewSubagentTranscript,
    answers: { 201: OneSubagent },
    handle: async ({ params, body }, app) =>
      created({ subagent_transcript: presentSubagent(await createSubagent(app, params.session_id, body)) }),
  }),
  defineEndpoint({
    method: 'PATCH',
    isPutToo: true,
    path: `${path}/{id}`,
    tag,
    summary: 'Change a subagent; only the keys that are sent change',
    description: 'The transcript of one that the service recorded is read-only.',
    params,
    body: SubagentTranscriptChanges,
    answers: { 200: OneSubagent },
    refusals: ['transcript_read_only'],
    handle: async ({ params, body }, app) =>
      ok({ subagent_transcript: presentSubagent(await changeSubagent(app, params.session_id, params.id, body)) }),
  }),
  defineEndpoint({
    method: 'DELETE',
    path: `${path}/{id}`,
    tag,
    summary: 'Delete the record of a subagent',
    description: 'The entries of a conversation stay; if the subagent goes on, it is recorded anew.',
    params,
    answers: { 204: 'nothing' },
    handle: async ({ params }, app) => {
      await removeSubagent(app, params.session_id, params.id)
      return noContent()
    },
  }),
]
