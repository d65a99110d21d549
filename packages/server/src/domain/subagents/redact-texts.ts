import { limits } from '@yardmaster/contract/limits'
import { withoutNul } from '../../platform/storable-text.ts'
import type { App } from '../app.ts'

type Text = string | null | undefined

/** Texts about a subagent may be long, contain secrets, or contain NUL, which PostgreSQL rejects. */
export async function redactTexts<Texts extends Record<string, Text>>(
  { redactor }: Pick<App, 'redactor'>,
  texts: Texts,
): Promise<Texts> {
  const redacted = Object.entries(texts).map(async ([name, text]) => [
    name,
    // Redact before truncating: a truncated secret no longer matches its pattern.
    text && (await redactor.text(withoutNul(text))).slice(0, limits.subagentText),
  ])
  return Object.fromEntries(await Promise.all(redacted)) as Texts // the same names, each with a text like its own
}
