import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'

export const transcripts: Room = { name: 'transcripts', endpoints }
