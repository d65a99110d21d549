import type { Room } from '../app.ts'
import { endpoints } from './endpoints.ts'
import { removeFiles } from './remove-files.ts'
import { removeFilesJob } from './remove-files-job.ts'

export const sessions: Room = { name: 'sessions', endpoints, jobs: [removeFilesJob], handlers: [removeFiles] }
