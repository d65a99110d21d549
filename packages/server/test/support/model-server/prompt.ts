/**
 * What a person said, out of what a CLI made of it.
 *
 * CLIs wrap prompts: reminders, the environment, the repository's instructions, notices about interrupted turns and
 * finished subagents come as further user messages or stand around the prompt in its own. All of them that we have met
 * are elements that begin at the start of a line (`<system-reminder>...</system-reminder>`), and a script line begins
 * with a word. So whatever element begins a line is taken out up to its end, whatever its name, and with it the few
 * notices that are plain sentences. A line of a test's own that begins with a tag is therefore never played.
 */
function unwrap(text: string): string {
  return notices
    .reduce((rest, notice) => rest.replace(notice, ''), text.replace(elements, ''))
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const elements = /^[ \t]*<([A-Za-z][\w-]*)(?: [^<>\n]*)?>[\s\S]*?<\/\1(?: [^<>\n]*)?>[ \t]*$/gm

const notices = [/^\[Request interrupted by user[^\]\n]*\]$/gm, /^Tool loaded\.$/gm, /^# AGENTS\.md instructions.*$/gm]

/**
 * A message may hold several texts: a CLI whose last turn got no answer sends the old prompt and the new one as one
 * message. The last that says anything is the prompt.
 */
export function lastSaid(texts: readonly string[]): string | undefined {
  return texts.map(unwrap).findLast((text) => text !== '')
}
