import { prepare } from './prepare.mjs'

await prepare()

// In this process, so that its pid is the server's pid and signals reach the server directly.
const { main } = await import(new URL('../packages/server/dist/main.js', import.meta.url).href)
await main()
