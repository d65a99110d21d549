import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
})

/** As much as a page draws without a pause that a reader notices. */
const most = { characters: 100_000, pieces: 10_000 }

export type Piece = { text: string; ink: string | undefined }

/** Inks that have enough contrast wherever code stands. What has no ink here is read best without. */
const inks: Record<string, string> = {
  ...inkOf('text-faint', 'comment quote meta'),
  ...inkOf('text-accent-text', 'keyword selector-tag name section operator'),
  ...inkOf('text-ok', 'string regexp addition char.escape code'),
  ...inkOf('text-needs', 'number literal symbol link bullet'),
  ...inkOf('text-running', 'title type attr attribute built_in property selector-class selector-id variable'),
  ...inkOf('text-failed', 'deletion'),
}

/**
 * The code in pieces of one ink, without any after the 10,000th piece. Undefined for code that is too long, and in an unknown language.
 * Some grammars take as long as the square of the text, so only the worker calls this, which can be ended.
 */
export function piecesOf(text: string, language: string): readonly Piece[] | undefined {
  if (text.length > most.characters || !lowlight.registered(language)) return undefined
  const pieces: Piece[] = []
  type Node = ReturnType<typeof lowlight.highlight>['children'][number]
  const add = (nodes: readonly Node[], ink?: string) => {
    for (const node of nodes) {
      if (node.type === 'element') add(node.children as Node[], inkIn(node.properties.className) ?? ink)
      if (node.type !== 'text') continue
      const last = pieces.at(-1)
      const drawn = pieces.length < most.pieces ? ink : undefined
      if (last && last.ink === drawn) last.text += node.value
      else pieces.push({ text: node.value, ink: drawn })
    }
  }
  try {
    add(lowlight.highlight(language, text).children)
  } catch {
    // Nested too deep for the stack.
    return undefined
  }
  return pieces
}

/** By the first of its names, as `hljs-title` of `hljs-title function_`. */
function inkIn(names: unknown): string | undefined {
  return Array.isArray(names) ? inks[String(names[0]).replace(/^hljs-/, '')] : undefined
}

function inkOf(ink: string, scopes: string): Record<string, string> {
  return Object.fromEntries(scopes.split(' ').map((scope) => [scope, ink]))
}
