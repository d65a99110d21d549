import type { Tool } from '../tool.ts'

export const tools: readonly Tool[] = [
  {
    name: 'get_transcript_archive',
    groups: ['sessions', 'sessions_readonly'],
    about: 'How recent the archive of all transcripts is, and where to download it. To find a text, search instead.',
    choose: () => 'status',
    calls: {
      status: { endpoint: 'GET /transcript_archive/status', needs: 'see_operations', decidesByAgent: true },
    },
  },
]
