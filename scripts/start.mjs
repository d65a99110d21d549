import { prepare } from './prepare.mjs'

await prepare()

// In this process, so that the pid and the signals people see are the server's own.
const { main } = await import(new URL('../packages/server/dist/main.js', import.meta.url).href)
await main()
