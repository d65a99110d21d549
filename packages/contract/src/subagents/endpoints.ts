import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam, SessionRef } from '../identifiers.ts'
import { queryBoolean } from '../query.ts'
import {
  NewSubagentTranscript,
  ShownSubagentTranscript,
  SubagentFilters,
  SubagentTranscript,
  SubagentTranscriptChanges,
} from './fields.ts'

const tag = 'Subagent transcripts'
const ofSession = z.object({ session_id: SessionRef })
const params = ofSession.extend({ id: IdParam })
const OneSubagent = z.object({ subagent_transcript: SubagentTranscript })
const path = '/sessions/{session_id}/subagent_transcripts'

export const listSubagents = defineList({
  name: 'subagents.list',
  auth: 'api_key',
  path,
  tag,
  summary: 'List the subagents of a session, newest first',
  key: 'subagent_transcripts',
  item: SubagentTranscript,
  params: ofSession,
  filters: SubagentFilters,
})

export const showSubagent = defineEndpoint({
  name: 'subagents.show',
  auth: 'api_key',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'Show a subagent, with its transcript if asked',
  params,
  query: z.object({
    include_transcript: queryBoolean({ default: false }).meta({ description: 'Adds the whole transcript.' }),
  }),
  answers: { 200: z.object({ subagent_transcript: ShownSubagentTranscript }) },
})

export const createSubagent = defineEndpoint({
  name: 'subagents.create',
  auth: 'api_key',
  method: 'POST',
  path,
  tag,
  summary: 'Record a subagent',
  description: 'Those that a runtime keeps transcripts of are recorded by the service itself.',
  params: ofSession,
  body: NewSubagentTranscript,
  answers: { 201: OneSubagent },
})

export const updateSubagent = defineEndpoint({
  name: 'subagents.update',
  auth: 'api_key',
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
})

export const deleteSubagent = defineEndpoint({
  name: 'subagents.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary: 'Delete the record of a subagent',
  description: 'The entries of the conversation stay; if the subagent continues, it is recorded again.',
  params,
  answers: { 204: 'nothing' },
})

export const endpoints = [listSubagents, showSubagent, createSubagent, updateSubagent, deleteSubagent] as const
