import { prepare } from './prepare.mjs'

await prepare()

/** @type {typeof import('../packages/server/src/app/backup/command.ts')} */
const { backupCommand } = await import(new URL('../packages/server/dist/app/backup/command.js', import.meta.url).href)
await backupCommand(process.argv.slice(2))
