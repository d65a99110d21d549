import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { exampleText } from '../packages/server/dist/platform/redaction/example-text.js'
import { openRedaction } from '../packages/server/dist/platform/redaction/redaction.js'
import { hardStrings } from '../packages/server/dist/platform/redaction/rule-speed.js'
import { rules } from '../packages/server/dist/platform/redaction/rules.js'

/**
 * The redactor on transcript lines made from this repository's sources and documents with some secrets, and each rule on
 * strings that are adversarial for it.
 */
const targetMbPerSecond = 20
const targetMsPerRule = 50
/** Linear growth is 10; the rest is tolerance for the clock. */
const targetGrowth = 20
const rounds = 5

const known = Array.from({ length: 40 }, (_, index) => ({
  label: `ENV:SETTING_${index}`,
  value: exampleText(`${index} + - + 32 word`),
}))
const redactor = openRedaction({ known: () => known })
const lines = transcript(16)
const sizeMb = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0) / 1e6
for (const line of lines.slice(0, 2000)) redactor.redact(line)

const speeds = []
const parseSpeeds = []
for (let round = 0; round < rounds; round += 1) {
  speeds.push(sizeMb / seconds(() => lines.map(redactor.redact)))
  parseSpeeds.push(sizeMb / seconds(() => lines.map((line) => JSON.parse(line))))
}
const speed = median(speeds)
console.log(
  `${sizeMb.toFixed(0)} MB of transcript are redacted at ${speed.toFixed(0)} MB/s ` +
    `(target: at least ${targetMbPerSecond}); JSON.parse alone reaches ${median(parseSpeeds).toFixed(0)}`,
)

const slowest = rules.map((rule) => ({ rule, ms: slowestMs(rule) })).sort((one, other) => other.ms - one.ms)[0]
console.log(
  `The slowest of ${rules.length} rules takes ${slowest.ms.toFixed(1)} ms for 50 KB (target: at most ${targetMsPerRule}): ` +
    `${slowest.rule.label}, ${slowest.rule.keywords[0]}`,
)

const steepest = adversarialPieces()
  .map((piece) => ({ piece, growth: growthOf(piece) }))
  .sort((one, other) => other.growth - one.growth)[0]
console.log(
  `Ten times the text takes at most ${steepest.growth.toFixed(1)} times as long (target: at most ${targetGrowth}): ` +
    JSON.stringify(steepest.piece.slice(0, 40)),
)
if (speed < targetMbPerSecond || slowest.ms > targetMsPerRule || steepest.growth > targetGrowth) process.exitCode = 1

/** Lines as agents write them, about `megabytes` in total. */
function transcript(megabytes) {
  const folder = fileURLToPath(new URL('../', import.meta.url))
  const texts = ['packages/server/src', 'packages/contract/src', 'packages/server/test', 'docs', 'scripts']
    .flatMap((name) => readdirSync(folder + name, { recursive: true }).map((file) => `${folder}${name}/${file}`))
    .filter((path) => /\.(?:ts|mjs|md|sql)$/.test(path) && !path.includes('redaction'))
    .map((path) => readFileSync(path, 'utf8'))
  const made = []
  let size = 0
  for (let turn = 0; size < megabytes * 1e6; turn += 1) {
    const text = texts[turn % texts.length]
    const start = (turn * 977) % Math.max(1, text.length - 4000)
    const shown = text.slice(start, start + 400 + ((turn * 131) % 3600))
    const withSecret = turn % 50 === 0 ? `${shown}\nTOKEN=${exampleText('ghp_ + 36 alnum')}\n` : shown
    const line = JSON.stringify({
      type: 'user',
      uuid: `6f9b8d1c-0000-4000-8000-${String(turn).padStart(12, '0')}`,
      sessionId: '3d4a3f0e-1111-4222-8333-abcdefabcdef',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${turn}`, content: withSecret }] },
      timestamp: '2026-01-02T03:04:05.678Z',
    })
    made.push(line)
    size += line.length
  }
  return made
}

/** What a text can be full of without ever being a secret; each starts a search that finds nothing. */
function adversarialPieces() {
  const fence = `${'-'.repeat(5)}BEGIN PRIVATE ${'KEY'}${'-'.repeat(5)}`
  return [
    ...rules.filter((_, index) => index % 10 === 0).map((rule) => `${exampleText(rule.example).slice(0, -4)}\u0001`),
    ...['password=', 'a', '{"', '\\', '\\\\\\"', '%25', '\u001b[', '://a:b', '[REDACTED:'],
    `${fence}\n`,
    `${fence}${'A'.repeat(20)}!`,
    exampleText('60 base64 +  '),
    exampleText('250 base64 + .'),
  ]
}

/** Starts at 60 KB, which exceeds the longest lookahead of any rule. */
function growthOf(piece) {
  const time = (length) => {
    const text = piece.repeat(length / piece.length)
    return Math.min(...[1, 2, 3].map(() => seconds(() => redactor.redact(text))))
  }
  return time(600_000) / Math.max(0.002, time(60_000))
}

/** Takes the fastest of three runs of each string: the first may run before the JIT compiles. */
function slowestMs(rule) {
  const alone = openRedaction({ known: () => [], rules: [rule] })
  const times = hardStrings(rule, 50_000).map((text) =>
    Math.min(...[1, 2, 3].map(() => 1000 * seconds(() => alone.redact(text)))),
  )
  return Math.max(...times)
}

/** CPU time, so that other load does not count. */
function seconds(run) {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function median(values) {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)]
}
