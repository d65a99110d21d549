/**
 * Whether a value is only a placeholder: a variable, a template, an instruction to the reader, filler. Replacing it
 * would hide nothing and make documentation and code unreadable.
 */
export function isPlaceholder(value: string): boolean {
  return (
    value.includes(markerStart) ||
    isReference.test(value) ||
    isRepetition(value) ||
    isSequence(value) ||
    isFiller(value.toLowerCase())
  )
}

/** The marker of an earlier pass. Text that contains one is left alone, so that a second pass changes nothing. */
export const markerStart = '[REDACTED:'

/** `${VAR}`, `$VAR`, `$(cmd)`, `{{x}}`, `{x}`, `#{x}`, `<your-key>`, `%VAR%`, `[hidden]`, `__KEY__`, `prefix-${VAR}`. */
const isReference =
  /^(?:\$\{.*|\$\(.*|\$[A-Za-z_][A-Za-z0-9_]*|\{\{.*|#\{.*|\{[\w .-]*\}|<.*|%[\w-]+%|%[sdvq]|\[[\w .-]*\]|@[A-Za-z_]+@|__\w+__|.*(?:\$\{|\{\{|&lt;).*)$/s

function isFiller(value: string): boolean {
  return isFillerWord.test(value) || hasFillerWord.test(value)
}

const isFillerWord =
  /^(?:(?:my|the|some|a)?[-_ ]?(?:api[-_ ]?)?(?:password|passwd|pass|passphrase|pwd|secret|token|key|credentials?)s?|none|null|nil|undefined|true|false|yes|no|on|off|string|str|text|number|boolean|bytes|optional|required|default|empty|unset|hidden|masked|test|foo|bar|baz|foobar|abc|xyz|todo|tbd|n\/a)$/

const hasFillerWord =
  /example|change[-_ ]?(?:me|this)|placeholder|redacted|your[-_ ]|^your(?:key|token|secret|pass|api)|(?:insert|enter|put|paste|add)[-_ ](?:your|the|here|key|token)|replace[-_ ]?(?:me|this|with)|[-_ ]here$|dummy|not[-_ ]?a?[-_ ]?real|fake[-_]|\.\.\.|…|x{6}|\*{3}|•{3}/

/** `xxxx`, `0000-0000-0000`, `sk-aaaaaaaaaaaaaaaaaaaaaaaa`: one character repeated makes up at least half. */
function isRepetition(value: string): boolean {
  let longest = 0
  let run = 0
  let length = 0
  let previous = -1
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code === 0x2d || code === 0x5f || code === 0x2e || code === 0x20) continue
    run = code === previous ? run + 1 : 1
    previous = code
    length++
    if (run > longest) longest = run
  }
  return length === 0 || (longest >= 4 && longest * 2 >= length)
}

/** `12345678`, `abcdefgh`, `0123456789abcdef`: nearly every character follows the one before it. */
function isSequence(value: string): boolean {
  if (value.length < 6) return false
  let steps = 0
  for (let at = 1; at < value.length; at++) if (value.charCodeAt(at) - value.charCodeAt(at - 1) === 1) steps++
  return steps * 10 >= (value.length - 1) * 7
}
