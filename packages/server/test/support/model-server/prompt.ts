/**
 * Extracts the user's prompt from the CLI's messages.
 *
 * CLIs add reminders, the environment, the repository's instructions and notices, as further user messages or around the prompt.
 * All that we have seen are elements at the start of a line (`<system-reminder>...</system-reminder>`), and a script line begins
 * with a word. So every element that begins a line is removed, and the few notices that are plain sentences. A test's line that
 * begins with a tag is therefore never executed.
 */
function unwrap(text: string): string {
  return notices
    .reduce((rest, notice) => rest.replace(notice, ''), text.replace(elements, ''))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const elements = /^[ \t]*<([A-Za-z][\w-]*)(?: [^<>\n]*)?>[\s\S]*?<\/\1(?: [^<>\n]*)?>[ \t]*$/gm

const notices = [
  /^\[Request interrupted by user[^\]\n]*\]$/gm,
  /^Tool loaded\.$/gm,
  /^# AGENTS\.md instructions.*$/gm,
  /^Output token limit hit\. Resume directly.*$/gm,
]

/**
 * A message may hold several texts: a CLI whose last turn got no answer sends the old prompt and the new one in one message. The
 * last non-empty text is the prompt.
 */
export function lastSaid(texts: readonly string[]): string | undefined {
  return texts.map(unwrap).findLast((text) => text !== '')
}
