import type { Token, Tokens } from 'marked'
import { Fragment, lazy, type ReactNode, Suspense, useMemo } from 'react'
import { lexWithin } from './bounded-lexer.ts'
import { untilLoaded } from './part.tsx'

const ColouredCode = lazy(() => untilLoaded(() => import('../colours/coloured-code.tsx')))

/**
 * Markdown as React elements. No HTML is ever parsed: HTML in the text shows as text, and a link is only a link if its
 * address is http(s), mailto or relative.
 */
export function Markdown({ children, className = '' }: { children: string; className?: string }): ReactNode {
  const tokens = useMemo(() => tokensOf(children), [children])
  return <div className={`flex min-w-0 flex-col gap-2 break-words leading-relaxed ${className}`}>{blocks(tokens)}</div>
}

/** 50 levels of quotes, lists or emphasis: far above what a person writes. */
const deepest = 100
/** A longer text is no message, and would take long even without a trick. */
const longest = 100_000

/**
 * A few thousand `>` overflow the stack of the lexer, and a tree that deep the stack of React: either would take the whole page away
 * from its reader. Such a text is shown as it is written.
 */
function tokensOf(text: string): readonly Token[] {
  try {
    const tokens = text.length > longest ? [] : lexWithin(text)
    if (tokens.length > 0 && !isDeeper(tokens, deepest)) return tokens
  } catch {
    // Too deep for the lexer, or too much work.
  }
  return [{ type: 'plain', raw: text }]
}

/** Counts the lists and the tokens in them, so that one level of a text is two. */
function isDeeper(value: object, left: number): boolean {
  return Object.values(value).some(
    (part: unknown) => typeof part === 'object' && part !== null && (left === 0 || isDeeper(part, left - 1)),
  )
}

function blocks(tokens: readonly Token[]): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity, and text only grows at its end.
  return tokens.map((token, index) => <Fragment key={index}>{block(token)}</Fragment>)
}

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      // The page has its own headings, so that those of a message are bold text.
      return <p className="font-semibold">{inlines(token.tokens)}</p>
    case 'paragraph':
    case 'text':
      return token.tokens ? <p className="whitespace-pre-wrap">{inlines(token.tokens)}</p> : <p>{token.text}</p>
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by the keyboard.
        <pre tabIndex={0} className="overflow-x-auto rounded-md bg-hover p-3 font-mono text-sm">
          <code>
            <CodeText text={token.text} language={token.lang} />
          </code>
        </pre>
      )
    case 'blockquote':
      return (
        <blockquote className="border-line-strong border-l-2 pl-3 text-muted">{blocks(token.tokens ?? [])}</blockquote>
      )
    case 'hr':
      return <hr className="border-line" />
    case 'list':
      return list(token as Tokens.List)
    case 'table':
      return table(token as Tokens.Table)
    default:
      return <p className="whitespace-pre-wrap">{token.raw}</p>
  }
}

/** At once without colours, which it gets when they are loaded. */
export function CodeText({ text, language = '' }: { text: string; language?: string }): ReactNode {
  const [name] = /^[\w+#-]+/.exec(language) ?? []
  if (name === undefined) return text
  return (
    <Suspense fallback={text}>
      <ColouredCode text={text} language={name.toLowerCase()} />
    </Suspense>
  )
}

function list({ ordered, start, items }: Tokens.List): ReactNode {
  const rows = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: see above.
    <li key={index} className={item.task ? 'list-none' : ''}>
      {item.task && (
        <input type="checkbox" checked={item.checked ?? false} readOnly disabled aria-label="Done" className="mr-1.5" />
      )}
      {blocks(item.tokens)}
    </li>
  ))
  if (!ordered) return <ul className="list-disc pl-5">{rows}</ul>
  return (
    <ol start={typeof start === 'number' ? start : 1} className="list-decimal pl-5">
      {rows}
    </ol>
  )
}

function table({ header, rows }: Tokens.Table): ReactNode {
  const cell = (content: Tokens.TableCell) => inlines(content.tokens)
  return (
    <div className="overflow-x-auto">
      <table className="border-collapse text-sm">
        <thead>
          <tr>
            {header.map((content, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above.
              <th key={index} scope="col" className="border border-line px-2 py-1 text-left font-semibold">
                {cell(content)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: see above.
            <tr key={index}>
              {row.map((content, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above.
                <td key={column} className="border border-line px-2 py-1">
                  {cell(content)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function inlines(tokens: readonly Token[] | undefined): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: see above.
  return tokens?.map((token, index) => <Fragment key={index}>{inline(token)}</Fragment>)
}

function inline(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong className="font-semibold">{inlines(token.tokens)}</strong>
    case 'em':
      return <em>{inlines(token.tokens)}</em>
    case 'del':
      return <del>{inlines(token.tokens)}</del>
    case 'codespan':
      return <code className="rounded-sm bg-hover px-1 py-px font-mono text-[0.92em]">{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return link(token as Tokens.Link)
    case 'image':
      // Loading an image would tell its server that the message was read.
      return link({ ...(token as Tokens.Image), tokens: [] } as unknown as Tokens.Link)
    case 'escape':
    case 'text':
      return token.text
    default:
      return token.raw
  }
}

function link({ href, text, tokens }: Tokens.Link): ReactNode {
  const content = tokens.length > 0 ? inlines(tokens) : text || href
  if (!isSafeAddress(href)) return content
  return (
    <a href={href} target="_blank" rel="noreferrer" className="text-accent-text underline underline-offset-2">
      {content}
    </a>
  )
}

function isSafeAddress(href: string): boolean {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(href, 'https://relative.invalid').protocol)
  } catch {
    return false
  }
}
