// Warms the server up with so many polls, then polls each address on standard input every second, for so many seconds. Prints
// when it begins, and how often it got which action.
import { Agent, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const [seconds, warmUps] = process.argv.slice(2).map(Number)
let input = ''
for await (const chunk of process.stdin) input += chunk
const addresses = JSON.parse(input)
const agent = new Agent({ keepAlive: true, maxSockets: addresses.length })
const counts = {}
for (let count = 0; count < warmUps; count += 10)
  await Promise.all(Array.from({ length: 10 }, (_, index) => poll(addresses[(count + index) % addresses.length])))
console.log('begins')
const end = Date.now() + seconds * 1000
await Promise.all(
  addresses.map(async (address, index) => {
    await wait((index * 1000) / addresses.length)
    while (Date.now() < end) {
      const started = Date.now()
      const outcome = await poll(address)
      counts[outcome] = (counts[outcome] ?? 0) + 1
      await wait(Math.max(0, 1000 - (Date.now() - started)))
    }
  }),
)
console.log(`polls: ${JSON.stringify(counts)}`)
agent.destroy()

function poll(address) {
  return new Promise((resolve) => {
    get(address, { agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(response.statusCode === 200 ? JSON.parse(text).action : response.statusCode))
    }).on('error', (error) => resolve(error.code))
  })
}
