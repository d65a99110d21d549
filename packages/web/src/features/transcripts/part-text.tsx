import { type ReactNode, useState } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import { CodeText } from '../../shared/kit/markdown.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { readable } from '../../shared/kit/readable.ts'
import { pretty } from './pretty.ts'
import type { Located } from './rows.ts'
import { TerminalText } from './terminal-text.tsx'
import { useWholePart } from './use-whole-part.ts'

const shownLines = 24
const escapeMark = String.fromCharCode(27)
const bytes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 0 })

type PartTextProps = {
  located: Located
  isFailed?: boolean
  /** The language of the file that was read. */
  language?: string
}

/** Output of a tool: its first lines, and all of it on demand. */
export default function PartText({ located, isFailed = false, language }: PartTextProps): ReactNode {
  const [isWhole, setWhole] = useState(false)
  const { data, error, isFetching } = useWholePart(located, isWhole)
  const text = pretty(isWhole && data ? data : located.part.text)
  const lines = text.split('\n')
  const isLong = lines.length > shownLines || located.part.is_cut
  const shown = isWhole ? text : lines.slice(0, shownLines).join('\n')
  if (readable(text).trim() === '') return <p className="px-3 py-1.5 text-muted text-sm">No output</p>
  return (
    <div className="min-w-0">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by the keyboard.
        tabIndex={0}
        className={`max-h-96 overflow-auto whitespace-pre-wrap break-words px-3 py-2 font-mono text-sm ${isFailed ? 'text-failed' : ''}`}
      >
        <Coloured text={shown} language={isFailed ? undefined : (languageIn(text) ?? language)} />
      </pre>
      <ErrorNote error={error} />
      {isLong && (
        <div className="flex items-center gap-2 border-line border-t px-2 py-1 text-muted text-sm">
          <Button look="quiet" size="sm" isBusy={isFetching} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Less' : 'Whole output'}
          </Button>
          <span className="tabular">
            {located.part.is_cut ? bytes.format(located.part.size / 1024) : `${lines.length} lines`}
          </span>
        </div>
      )}
    </div>
  )
}

function Coloured({ text, language }: { text: string; language: string | undefined }): ReactNode {
  // What a terminal was to show has colours of its own.
  if (text.includes(escapeMark) || language === undefined) return <TerminalText text={text} />
  return <CodeText text={readable(text)} language={language} />
}

/** What a text is by its beginning. */
function languageIn(text: string): string | undefined {
  if (/^\s*[[{]\s*["\n\d[{]/.test(text)) return 'json'
  return text.startsWith('diff --git ') ? 'diff' : undefined
}
