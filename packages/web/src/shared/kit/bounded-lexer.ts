import { Lexer, type Token, Tokenizer, type Tokens, type TokensList } from 'marked'

/**
 * The work that a text may cost, in characters that are looked at: ordinary texts cost about 5 for each of theirs, and one unit
 * takes up to 0.1 µs on a slow machine.
 */
const perCharacter = 100
const atLeast = 20_000
const atMost = 4_000_000

/** What a token costs besides its characters. */
const perToken = 20

/**
 * The tokens of a Markdown text; throws if they cost more work than the text is worth. The library looks for the end of an
 * emphasis up to the end of the paragraph, at each of its marks and again inside of each, so that 8 kB of `**a **b *c` keep it busy
 * for seconds. A table of many columns has a cell in each of its rows, however short the row is.
 */
export function lexWithin(text: string): readonly Token[] {
  let left = Math.min(atLeast + perCharacter * text.length, atMost)
  const spend = (work: number) => {
    left -= work
    if (left < 0) throw new Error('the text costs too much work')
  }
  return new MeteredLexer(spend).lex(text)
}

type Spend = (work: number) => void

class MeteredLexer extends Lexer {
  readonly #spend: Spend

  constructor(spend: Spend) {
    super({ gfm: true, tokenizer: new MeteredTokenizer(spend) })
    this.#spend = spend
  }

  override blockTokens(text: string, tokens?: Token[], isLastParagraphClipped?: boolean): TokensList {
    this.#spend(text.length + perToken)
    // Declared twice by the library, for a list of tokens with and without the links of the text.
    return super.blockTokens(text, tokens, isLastParagraphClipped) as TokensList
  }

  override inline(text: string, tokens?: Token[]): Token[] {
    this.#spend(text.length + perToken)
    return super.inline(text, tokens)
  }

  override inlineTokens(text: string, tokens?: Token[]): Token[] {
    this.#spend(text.length + perToken)
    return super.inlineTokens(text, tokens)
  }
}

/** Counts what the steps of the library look at beyond the text that they take. The divisors are measured: these look faster. */
class MeteredTokenizer extends Tokenizer {
  readonly #spend: Spend

  constructor(spend: Spend) {
    super()
    this.#spend = spend
  }

  override emStrong(text: string, masked: string, before = ''): Tokens.Em | Tokens.Strong | undefined {
    const token = super.emStrong(text, masked, before)
    // The mark in snake_case begins nothing, and is not looked at further.
    if (text[0] === '*' || (text[0] === '_' && !/[\p{L}\p{N}]/u.test(before))) this.#spend((token?.raw ?? text).length)
    return token
  }

  override del(text: string, masked: string, before = ''): Tokens.Del | undefined {
    const token = super.del(text, masked, before)
    if (text[0] === '~') this.#spend((token?.raw ?? text).length)
    return token
  }

  /** Looks for an `@` up to the end of the word, at each mark in it. */
  override inlineText(text: string): Tokens.Text | undefined {
    this.#spend((/^\S*/.exec(text)?.[0].length ?? 0) / 4)
    return super.inlineText(text)
  }

  /** Looks for an underline up to the next empty line, at each line of an item of a list. */
  override lheading(text: string): Tokens.Heading | undefined {
    const end = text.indexOf('\n\n')
    this.#spend((end < 0 ? text.length : end) / 4)
    return super.lheading(text)
  }
}
