export { transcriptAppended } from '@yardmaster/contract/transcripts/events'
