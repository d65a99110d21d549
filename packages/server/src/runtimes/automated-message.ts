/** A message that we write to an agent. Its first words tell the agent, and people who read along, that no person wrote it. */
export function automatedMessage(text: string): string {
  return `[Automated message from Yardmaster, not from a person] ${text}`
}
