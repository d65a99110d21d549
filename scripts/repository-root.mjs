import { fileURLToPath } from 'node:url'

/** The checkout that contains these scripts, whatever the working directory is. */
export const repositoryRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
