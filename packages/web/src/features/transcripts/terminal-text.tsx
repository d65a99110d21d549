import type { ReactNode } from 'react'
import { readable } from '../../shared/kit/readable.ts'

const escapeMark = String.fromCharCode(27)
const colourCode = new RegExp(`${escapeMark}\\[([\\d;:]*)m`, 'g')
/** Other codes move the cursor, and name windows and links. Limited, so that one without an end hides nothing and takes no time. */
const otherCode = new RegExp(
  `${escapeMark}(?:\\[[\\d;:?]{0,32}[A-Za-ln-z]|\\][^\\x07${escapeMark}\\n]{0,500}(?:\\x07|${escapeMark}\\\\))`,
  'g',
)

/** What follows more codes than a page can draw quickly is shown without colours. */
const mostCodes = 5_000

/** Black and white are the ink of the page, which is seen in both themes; grounds are left out for the same reason. */
const inks = ['', 'text-failed', 'text-ok', 'text-needs', 'text-running', 'text-accent-text', 'text-running', '']

type Look = { ink: string; weight: string; slant: string; line: string }
type Piece = { text: string; look: string }

const plain: Look = { ink: '', weight: '', slant: '', line: '' }

/** Output of a terminal in its colours. */
export function TerminalText({ text }: { text: string }): ReactNode {
  return piecesOf(text).map(({ text, look }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity.
    <span key={index} className={look}>
      {text}
    </span>
  ))
}

export function piecesOf(output: string): readonly Piece[] {
  const text = output.replaceAll(otherCode, '')
  const pieces: Piece[] = []
  let [look, from, codes] = [plain, 0, 0]
  const add = (to?: number) => {
    const piece = { text: readable(text.slice(from, to)), look: Object.values(look).filter(Boolean).join(' ') }
    const last = pieces.at(-1)
    if (last?.look === piece.look) last.text += piece.text
    else if (piece.text !== '') pieces.push(piece)
  }
  for (const { 0: code, 1: numbers = '', index } of text.matchAll(colourCode)) {
    add(index)
    from = index + code.length
    look = lookAfter(look, numbers)
    codes += 1
    if (codes >= mostCodes) {
      look = plain
      break
    }
  }
  add()
  return pieces
}

function lookAfter(before: Look, code: string): Look {
  const numbers = code.split(/[;:]/, 32).map(Number)
  let look = before
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at] ?? 0
    // 38;5;n is one of 256 colours, of which the first 16 are known; 38;2;r;g;b is any. 48 is the same for the ground.
    const isAny = number === 38 || number === 48
    const [kind, of = 0] = isAny ? numbers.slice(at + 1) : []
    if (number === 38) look = { ...look, ink: kind === 5 && of < 16 ? inkOf(of) : '' }
    else if (!isAny) look = { ...look, ...changes(number) }
    if (isAny) at += kind === 5 ? 2 : 4
  }
  return look
}

function changes(number: number): Partial<Look> {
  if (number >= 30 && number <= 37) return { ink: inkOf(number - 30) }
  if (number >= 90 && number <= 97) return { ink: inkOf(number - 82) }
  return known[number] ?? {}
}

/** Bright black is the grey of what is less important. */
function inkOf(colour: number): string {
  return colour === 8 ? 'text-faint' : (inks[colour % 8] ?? '')
}

const known: Record<number, Partial<Look>> = {
  0: plain,
  1: { weight: 'font-bold' },
  // Not by opacity: what is dim must be readable.
  2: { weight: 'font-light' },
  3: { slant: 'italic' },
  4: { line: 'underline' },
  22: { weight: '' },
  23: { slant: '' },
  24: { line: '' },
  39: { ink: '' },
}
