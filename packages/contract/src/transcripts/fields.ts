import { z } from 'zod'

export const TranscriptText = z.object({
  transcript_text: z.string().meta({ description: 'The whole conversation as a reading copy.' }),
})
