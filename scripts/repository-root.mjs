import { fileURLToPath } from 'node:url'

/** The checkout these scripts belong to, wherever they are called from. */
export const repositoryRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
