import type { Instructions } from './instructions.ts'
import type { Abilities } from './messages.ts'
import { recap } from './recap.ts'
import type { SessionLink } from './session-link.ts'

type Occasion = {
  message: string
  isFresh: boolean
  abilities: Abilities
  instructions: Instructions
  link: SessionLink | undefined
  /** The path of the transcript. */
  transcript: string
}

type TextBlock = { type: 'text'; text: string }

/** The message, and before it whatever the agent has to know and cannot know by itself, each in an element of its own. */
export async function composePrompt(occasion: Occasion): Promise<TextBlock[]> {
  const parts = [
    newInstructions(occasion),
    await earlierConversation(occasion),
    lostMessage(occasion),
    occasion.message,
  ]
  return parts.flatMap((text) => (text === undefined ? [] : [{ type: 'text' as const, text }]))
}

function newInstructions({ isFresh, abilities, instructions, link }: Occasion): string | undefined {
  if (abilities.sessionCapabilities.systemPrompt || instructions.text === '') return undefined
  if (!isFresh && link?.told === instructions.digest) return undefined
  return element('session_instructions', [
    'From the service that runs you, for the whole session; not part of the message below.',
    instructions.text,
  ])
}

async function earlierConversation({ isFresh, transcript }: Occasion): Promise<string | undefined> {
  const text = isFresh ? await recap(transcript) : undefined
  if (text === undefined) return undefined
  return element('earlier_conversation', [
    'What was said and done in this session so far, as a record; go on from there. The files are as they are now.',
    text,
  ])
}

/** We died with a message on its way. The conversation has it, and the agent may not. */
function lostMessage({ isFresh, link, message }: Occasion): string | undefined {
  if (isFresh || link?.unheard === undefined || link.unheard === message) return undefined
  return element('earlier_message', [
    'This message came before the one below and may not have reached you, because the service was interrupted.',
    link.unheard,
  ])
}

function element(name: string, paragraphs: readonly string[]): string {
  return `<${name}>\n${paragraphs.join('\n\n')}\n</${name}>`
}
