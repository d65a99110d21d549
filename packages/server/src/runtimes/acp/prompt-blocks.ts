import type { Instructions } from './instructions.ts'
import type { Capabilities } from './messages.ts'
import { recap } from './recap.ts'
import type { SessionLink } from './session-link.ts'

type PromptContext = {
  message: string
  isCommand: boolean
  isNew: boolean
  capabilities: Capabilities
  instructions: Instructions
  link: SessionLink | undefined
  /** The transcript's file. */
  transcript: Parameters<typeof recap>[0]
}

type TextBlock = { type: 'text'; text: string }

/** The message, preceded by what the agent's session lacks, each part in an element of its own. */
export async function composePrompt(context: PromptContext): Promise<TextBlock[]> {
  const parts = [
    newInstructions(context),
    await earlierConversation(context),
    undeliveredMessage(context),
    ...(looksLikeCommand(context) ? [notACommand, `\n${context.message}`] : [context.message]),
  ]
  return parts.flatMap((text) => (text === undefined ? [] : [{ type: 'text' as const, text }]))
}

/**
 * Agents take a text that begins with a slash for a command of theirs: some look at the first block, some at the last, some at
 * all of them joined and trimmed. A note before the message and a newline at its start make it text for all of them.
 */
function looksLikeCommand({ message, isCommand }: PromptContext): boolean {
  return message.trimStart().startsWith('/') && !isCommand
}

function newInstructions({ isNew, capabilities, instructions, link }: PromptContext): string | undefined {
  if (capabilities.sessionCapabilities.systemPrompt || instructions.text === '') return undefined
  if (!isNew && link?.instructionsDigest === instructions.digest) return undefined
  return element('session_instructions', [
    'From the service that runs you, for the whole session; not part of the message below.',
    instructions.text,
  ])
}

async function earlierConversation({ isNew, transcript }: PromptContext): Promise<string | undefined> {
  const text = isNew ? await recap(transcript) : undefined
  if (text === undefined) return undefined
  return element('earlier_conversation', [
    'A record of this session so far; continue from there. The files are in their current state.',
    text,
  ])
}

/** The server crashed while it sent a message: the transcript has it, the agent may not. */
function undeliveredMessage({ isNew, link, message }: PromptContext): string | undefined {
  if (isNew || link?.undelivered === undefined || link.undelivered === message) return undefined
  return element('earlier_message', [
    'This message came before the one below and may not have reached you, because the service was interrupted.',
    link.undelivered,
  ])
}

function element(name: string, paragraphs: readonly string[]): string {
  return `<${name}>\n${paragraphs.join('\n\n')}\n</${name}>`
}

const notACommand = element('note', [
  'From the service that runs you: the message below begins with a slash, but it is text for you and not a command.',
])
