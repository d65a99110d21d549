/** The face of the room: delivering prompts to a session inside the caller's transaction. */
export { type Delivery, deliverPrompt, type Prompt, startTurn } from './deliver-prompt.ts'
