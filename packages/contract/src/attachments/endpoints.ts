import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { limits } from '../limits.ts'
import { Attachment, AttachmentId, AttachmentWithContent, NewAttachment } from './fields.ts'

const tag = 'Attachments'
const params = z.object({ id: AttachmentId })

export const createAttachment = defineEndpoint({
  name: 'attachments.create',
  auth: 'api_key',
  method: 'POST',
  path: '/attachments',
  tag,
  summary: 'Upload a file that prompts can name',
  description:
    'Put the `reference` of the answer anywhere in a prompt, of a new session, a follow-up or a queued message. The agent gets the file, and its path in place of the reference. The first session whose prompt names the file keeps it until `trash_after`, or until the session is deleted. A file that no prompt names is deleted after seven days.',
  bodyLimitBytes: limits.attachment.bodyBytes,
  body: NewAttachment,
  answers: { 201: z.object({ attachment: Attachment }) },
  refusals: ['too_many_attachments'],
})

export const showAttachment = defineEndpoint({
  name: 'attachments.show',
  auth: 'api_key',
  method: 'GET',
  path: '/attachments/{id}',
  tag,
  summary: 'Show a file with its content',
  params,
  answers: { 200: AttachmentWithContent },
  refusals: ['not_found', 'too_many_downloads'],
})

export const deleteAttachment = defineEndpoint({
  name: 'attachments.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: '/attachments/{id}',
  tag,
  summary: 'Delete a file',
  description:
    'A copy that an agent has got already stays in the files of its session. A prompt that names the file is delivered without it.',
  params,
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

export const endpoints = [createAttachment, showAttachment, deleteAttachment] as const
