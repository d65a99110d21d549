import { describe, expect, test } from 'vitest'
import { openRedaction } from '../../../src/platform/redaction/redaction.ts'
import { bareContainers, lineContainers, namedContainers, transcriptLine } from './containers.ts'
import { lookAlikes } from './look-alikes.ts'
import { contextualKinds, prefixedKinds, structuralKinds } from './secret-kinds.ts'
import { type Seeded, seeded } from './seeded.ts'

/** The number of samples per kind and container, with different characters. */
const samples = 2

describe('a corpus written independently of the rules', () => {
  test.each([
    ['prefixed', 0.99, prefixedPlants],
    ['structural', 0.97, structuralPlants],
    ['contextual', 0.95, contextualPlants],
  ])('of %s secrets at least %d are found, and every line stays JSON', (group, target, plants) => {
    const redactor = openRedaction({ known: () => [] })
    const missed = new Map<string, number>()
    let count = 0
    for (const { what, text, secret, random } of plants()) {
      count++
      const redacted = redactor.redact(transcriptLine(text, random))
      if (isLeaked(redacted, secret)) missed.set(what, (missed.get(what) ?? 0) + 1)
      expect(redactor.redact(redacted)).toBe(redacted)
    }
    const missedCount = [...missed.values()].reduce((sum, each) => sum + each, 0)
    const recall = 1 - missedCount / count
    report(`${group}: ${(100 * recall).toFixed(2)} % of ${count}`, missed)
    expect(recall).toBeGreaterThanOrEqual(target)
  })

  test('text that only resembles a secret stays unchanged, in free text and in a transcript', () => {
    const redactor = openRedaction({ known: () => [] })
    const touched: string[] = []
    for (const { what, text, random } of lookAlikePlants()) {
      const line = transcriptLine(text, random)
      if (redactor.redact(line) !== line || redactor.redact(text) !== text)
        touched.push(`${what}: ${redactor.redact(text)}`)
    }
    expect(touched).toEqual([])
  })
})

type Plant = { what: string; text: string; secret: string; random: Seeded }

function* prefixedPlants(): Generator<Plant> {
  const random = seeded(1)
  for (const kind of prefixedKinds) {
    for (const container of [...namedContainers, ...bareContainers]) {
      for (let sample = 0; sample < samples; sample++) {
        const value = kind.make(random)
        const text = container.wrap({ name: 'SOME_SETTING', value }, random)
        yield { what: `${kind.name} in ${container.name}`, text, secret: value, random }
      }
    }
  }
}

function* contextualPlants(): Generator<Plant> {
  const random = seeded(2)
  for (const kind of contextualKinds) {
    for (const container of namedContainers) {
      for (let sample = 0; sample < samples; sample++) {
        const value = kind.make(random)
        const text = container.wrap({ name: kind.variable, value }, random)
        yield { what: `${kind.name} in ${container.name}: ${value}`, text, secret: value, random }
      }
    }
  }
}

function* structuralPlants(): Generator<Plant> {
  const random = seeded(3)
  for (const kind of structuralKinds) {
    for (const container of lineContainers) {
      for (let sample = 0; sample < samples; sample++) {
        const { line, secret } = kind.make(random)
        yield { what: `${kind.name} in ${container.name}`, text: container.wrap(line), secret, random }
      }
    }
  }
}

function* lookAlikePlants(): Generator<Omit<Plant, 'secret'>> {
  const random = seeded(4)
  for (const kind of lookAlikes) {
    for (const container of lineContainers) {
      for (let sample = 0; sample < samples; sample++) {
        yield { what: `${kind.name} in ${container.name}`, text: container.wrap(kind.make(random)), random }
      }
    }
  }
}

/** Whether at least half of the secret is still readable, in any encoding of the containers. */
function isLeaked(line: string, secret: string): boolean {
  const parsed = JSON.parse(line) as { toolUseResult: { stdout: string }; message: { content: { content: string }[] } }
  const texts = [parsed.toolUseResult.stdout, parsed.message.content[0]?.content ?? '']
  const half = Math.ceil(secret.length / 2)
  const parts = [secret.slice(0, half), secret.slice(secret.length - half)]
  return texts.some((text) => readings(text).some((reading) => parts.some((part) => reading.includes(part))))
}

function readings(text: string): string[] {
  const once = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one
    .replace(/\u001b\[[0-9;]*m/g, '')
  const unescaped = once.replace(/\\+(["'/\\])/g, '$1')
  const decoded = once.replace(/%[0-9a-fA-F]{2}/g, (octet) => String.fromCharCode(Number.parseInt(octet.slice(1), 16)))
  return [once, unescaped, decoded, Buffer.from(text, 'base64').toString('utf8')]
}

function report(headline: string, missed: ReadonlyMap<string, number>): void {
  process.stdout.write(
    `  ${headline}\n${[...missed].map(([what, times]) => `    missed ${times}: ${what}\n`).join('')}`,
  )
}
