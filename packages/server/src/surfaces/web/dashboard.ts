import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../platform/html/html.ts'
import { isKnown, partOf } from '../../platform/http/download.ts'
import type { Fallback } from '../../platform/http/guard.ts'
import { sendPage, wantsPage } from '../../platform/http/pages.ts'
import { refuse } from '../../platform/refusal.ts'
import { type Build, type BuiltFile, openBuild } from './build.ts'

/** The same from the sources and from what is built of them. */
const builtFolder = fileURLToPath(new URL('../../../../web/dist', import.meta.url))

export type Dashboard = {
  /** Serves what no route does: files of the build, and the page for every address that may be one of its pages. */
  fallback: Fallback
  /** Serves the page at `/`. */
  register(server: FastifyInstance): void
}

/** The built dashboard. While it is being built, a page says so. */
export function openDashboard(folder = builtFolder): Dashboard {
  const build = openBuild(folder)
  return {
    fallback: {
      accepts: async (request) => {
        const path = pathOf(request)
        if (path === undefined) return false
        return (await build.current())?.has(path) === true || mayBePage(request, path)
      },
      serve: async (request, reply) => serve(build, request, reply, pathOf(request) ?? ''),
    },
    register: (server) => {
      const page = { config: { auth: 'none', isPage: true } } as const
      server.get('/', page, (request, reply) => serve(build, request, reply, '/'))
      for (const [former, current] of Object.entries(moved))
        server.get(former, page, ({ url }, reply) => reply.redirect(current + (/\?.*$/s.exec(url)?.[0] ?? ''), 302))
      // One server is the list, filtered: its row has all there is.
      server.get<{ Params: { name: string } }>('/connectors/:name', page, ({ params: { name } }, reply) =>
        reply.redirect(name === 'secret-store' ? '/connectors' : `/connectors?find=${encodeURIComponent(name)}`, 302),
      )
      server.get<{ Params: { id: string } }>('/triggers/:id/edit', page, ({ params: { id } }, reply) =>
        reply.redirect(`/triggers/${encodeURIComponent(id)}?tab=edit`, 302),
      )
    },
  }
}

/** Addresses that people and other programs know, and where their pages are. The query stays. */
const moved = {
  '/quotas': '/inference',
  '/sessions': '/',
  '/outcomes/stats': '/outcomes',
  '/issues': '/backlog',
  '/settings/api_keys': '/supervisor/api_keys',
}

const page = '/index.html'

async function serve(build: Build, request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
  const files = await build.current()
  const file = files?.get(path) ?? files?.get(page)
  return file ? send(file, request, reply) : sendPage(reply, beingBuilt)
}

const beingBuilt = {
  title: 'The dashboard is being built',
  refreshSeconds: 3,
  body: html`<p>This page shows it as soon as it is there. If that takes longer than a minute, the terminal in which the server was
    started says why.</p>
    <p>The API works meanwhile, and so do the pages above.</p>`,
}

/** Addresses that other parts of the server answer, or may one day. */
const others = /^\/(api|web|jobs|supervisor|docs|up|health|mcp|metrics|pages\.css|openapi\.json|\.well-known)(\/|$)/

/** Empty segments, dots that lead elsewhere, and characters that no page has in its address. */
const odd = /[\\\0]|\/\.{0,2}\/|\/\.\.?$/

/** As it is written, without the query: no file of ours needs an escape. Undefined for what is not ours to answer. */
function pathOf({ method, url }: FastifyRequest): string | undefined {
  const [path = ''] = url.split('?', 1)
  if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith('/')) return undefined
  const plain = decoded(path)
  return plain === undefined || odd.test(plain) || others.test(plain) ? undefined : path
}

/** Undefined for an escape that is not valid. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** A browser asks for a page by name, and a page has no ending as files have. */
function mayBePage(request: FastifyRequest, path: string): boolean {
  return wantsPage(request) && !/\.\w+\/*$/.test(path) && !path.startsWith('/assets/')
}

function send(file: BuiltFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { headers } = request
  // A part is one of the plain content: a browser asks for parts only of what it does not decode.
  const encoding = headers.range === undefined ? encodingFor(file, headers['accept-encoding']) : undefined
  const body = (encoding && file.encoded[encoding]) ?? file.content
  const tag = `"${file.hash}${encoding ? `-${encoding}` : ''}"`
  reply.headers({
    'content-security-policy': policy,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'Accept-Encoding',
    etag: tag,
    'accept-ranges': 'bytes',
  })
  if (isKnown(tag, headers['if-none-match'])) return reply.code(304).send()
  const part = request.method === 'GET' ? partOf(headers, { sizeBytes: body.length, tag }) : undefined
  if (part === 'none') {
    reply.header('content-range', `bytes */${body.length}`)
    refuse('range_not_satisfiable', `The file has ${body.length} bytes; ask for a range within them`)
  }
  if (encoding) reply.header('content-encoding', encoding)
  if (!part) return reply.type(file.type).send(body)
  reply.code(206).header('content-range', `bytes ${part.start}-${part.end - 1}/${body.length}`)
  return reply.type(file.type).send(body.subarray(part.start, part.end))
}

/**
 * Nothing but our own files, no inline code or style, and no text that becomes code: `trusted-types` allows one policy, which
 * registers the service worker. The worker is held to the policy that its own file comes with, so every file has it.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types yardmaster',
].join('; ')

/** The best that the build has and the browser takes. */
function encodingFor({ encoded }: BuiltFile, accepted: string | undefined): 'br' | 'gzip' | undefined {
  const weights = new Map(
    (accepted ?? '').split(',').map((each) => {
      const [name = '', ...parameters] = each.toLowerCase().split(';')
      const [, weight = '1'] = /^\s*q=([\d.]+)\s*$/.exec(parameters.join(';')) ?? []
      return [name.trim(), Number(weight)] as const
    }),
  )
  const takes = (name: string): boolean => (weights.get(name) ?? weights.get('*') ?? 0) > 0
  return (['br', 'gzip'] as const).find((name) => encoded[name] && takes(name))
}
