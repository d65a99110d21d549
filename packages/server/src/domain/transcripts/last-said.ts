import { truncate } from '../../platform/truncate.ts'
import { assistantText } from './assistant-text.ts'
import { outlineOf } from './line-outline.ts'

/** A row of the board has room for no more. */
const maxLength = 120

/** The last line of what the agent said last in these lines. Undefined if it said nothing. */
export async function lastSaidIn(lines: readonly string[]): Promise<string | undefined> {
  for (const line of lines.toReversed()) {
    const outline = line.includes('"assistant"') ? await outlineOf(line) : undefined
    const said = outline === undefined ? undefined : lastLineOf(assistantText(outline))
    if (said !== undefined) return said
  }
  return undefined
}

/** The last line with a letter or a digit: not the end of a code block. Escapes in JSON may be characters that no column can hold. */
function lastLineOf(text: string): string | undefined {
  const line = text.split('\n').findLast((each) => /[\p{L}\p{N}]/u.test(each))
  return line === undefined
    ? undefined
    : truncate(
        line
          .replace(/[\p{Cc}\s]+/gu, ' ')
          .trim()
          .toWellFormed(),
        maxLength,
      )
}
