export { boardReordered } from '@yardmaster/contract/board/events'
