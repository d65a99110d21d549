/** Recognisable by its first words, so that nothing mistakes it for what a person said. */
export const recoveryPrompt = [
  '[Automated message from Yardmaster, not from a person]',
  'The service was interrupted while you were working. If you were in the middle of a task, look at where it stands and go on; otherwise wait for the next message.',
].join(' ')
