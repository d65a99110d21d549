import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../refusal.ts'

/** Bytes from `start` up to, not including, `end`. */
export type Part = { start: number; end: number }

/** A file as an answer. Its bytes must follow from its tag: a caller may put parts of two requests together. */
export class Download {
  readonly filename: string
  readonly type: string
  readonly sizeBytes: number
  readonly tag: string
  readonly headers: Readonly<Record<string, string>>
  readonly open: (part: Part) => Readable

  constructor(file: Omit<Download, 'send'>) {
    this.filename = file.filename
    this.type = file.type
    this.sizeBytes = file.sizeBytes
    this.tag = `"${file.tag}"`
    this.headers = file.headers
    this.open = file.open
  }

  /** Whole, in part, or not at all, by the conditions of the request. Opened only if bytes are sent. */
  send(request: Pick<FastifyRequest, 'headers' | 'method'>, reply: FastifyReply): FastifyReply {
    const part = request.method === 'GET' ? partOf(request.headers, this) : undefined
    const isCurrent = isKnown(this.tag, request.headers['if-none-match'])
    if (part === 'none' && !isCurrent) {
      reply.header('content-range', `bytes */${this.sizeBytes}`)
      return refuse('range_not_satisfiable', `The file has ${this.sizeBytes} bytes; ask for a range within them`)
    }
    reply.headers({ ...this.headers, etag: this.tag, 'accept-ranges': 'bytes' })
    if (isCurrent || part === 'none') return reply.code(304).send()
    const { start, end } = part ?? { start: 0, end: this.sizeBytes }
    if (part) reply.header('content-range', `bytes ${start}-${end - 1}/${this.sizeBytes}`)
    reply
      .code(part ? 206 : 200)
      .type(this.type)
      .header('content-disposition', `attachment; filename="${this.filename}"`)
      .header('content-length', end - start)
    // Without a stream the framework would write a length of 0.
    return reply.send(request.method === 'HEAD' ? Readable.from([]) : this.open({ start, end }))
  }
}

/** For an answer that is not the file after all, because reading it failed before its first byte. */
export function forgetFile(reply: FastifyReply): void {
  for (const header of ['etag', 'accept-ranges', 'content-range', 'content-disposition']) reply.removeHeader(header)
}

/** Whether `If-None-Match` names the tag. */
export function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  return known.includes(tag) || known.includes('*')
}

/**
 * The part that `Range` asks for; `none` if the file has no such part. Undefined for the whole file: without the header, with
 * one that is not a single range of bytes, and if `If-Range` names another version.
 */
export function partOf(
  { range, 'if-range': version }: FastifyRequest['headers'],
  { sizeBytes, tag }: Pick<Download, 'sizeBytes' | 'tag'>,
): Part | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (version !== undefined && version !== tag) return undefined
  if (first === '') return suffix(Number(last), sizeBytes)
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes)
  return start < sizeBytes ? { start, end } : 'none'
}

function suffix(length: number, sizeBytes: number): Part | 'none' {
  return length === 0 || sizeBytes === 0 ? 'none' : { start: Math.max(0, sizeBytes - length), end: sizeBytes }
}
