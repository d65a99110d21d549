import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openRedaction } from '../../../src/platform/redaction/redaction.ts'
import { rules } from '../../../src/platform/redaction/rules.ts'
import { readRulesFile } from '../../../src/platform/redaction/rules-file.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'

const badge = {
  label: 'STAFF_BADGE',
  keywords: ['badge-'],
  secret: 'badge-[0-9]{6}(?![0-9])',
  example: 'badge- + 6 digits',
}

describe('a file of additional rules', () => {
  test('a file of additional rules adds to the built-in rules', () => {
    const path = write({
      rules: [
        badge,
        {
          ...badge,
          label: 'DESK',
          keywords: ['desk '],
          frame: 'desk ',
          secret: '[A-Z]{4}',
          example: 'desk  + 4 upper',
        },
      ],
    })
    const redactor = openRedaction({ known: () => [], rules: [...readRulesFile(path), ...rules] })

    expect(redactor.redact('badge-471108 at desk QXJK, badge-12')).toBe(
      '[REDACTED:STAFF_BADGE] at desk [REDACTED:DESK], badge-12',
    )
  })

  test.each([
    ['no label', { ...badge, label: undefined }, 'rules[0].label '],
    ['a label in small letters', { ...badge, label: 'badge' }, 'rules[0].label must be capitals'],
    ['no keywords', { ...badge, keywords: [] }, 'rules[0].keywords must name at least one word'],
    ['a keyword of two letters', { ...badge, keywords: ['ba'] }, 'rules[0].keywords[0] must be 3 characters or more'],
    ['a column that is unknown', { ...badge, colour: 'red' }, 'rules[0] '],
    ['a check that is unknown', { ...badge, check: 'luhn' }, 'rules[0].check '],
    ['an invalid pattern', { ...badge, secret: 'badge-[0-9' }, 'rules[0].secret must be a regular expression'],
    [
      'a repetition without end',
      { ...badge, secret: 'badge-[0-9]+' },
      'rules[0].secret must give every repetition an upper bound',
    ],
    [
      'a reference back',
      { ...badge, secret: '(badge)-\\1' },
      'rules[0].secret must not refer back to what was matched',
    ],
    [
      'an example it does not find',
      { ...badge, example: 'badge- + 3 digits' },
      'rules[0] (STAFF_BADGE) does not find its own example',
    ],
  ])('a file of additional rules with %s is rejected, naming the place', (_, rule, problem) => {
    const path = write({ rules: [rule] })

    expect(() => readRulesFile(path)).toThrow(StartupError)
    expect(() => readRulesFile(path)).toThrow(`${path}: ${problem}`)
  })

  test('a file of additional rules with a catastrophically backtracking rule is rejected without hanging', () => {
    const path = write({
      rules: [{ ...badge, secret: 'badge-(?:[0-9]{1,40}){1,40}!', example: 'badge- + 20 digits + !' }],
    })

    expect(() => readRulesFile(path)).toThrow('rules[0] (STAFF_BADGE) is too slow')
  })

  test('a file of additional rules that is missing or not JSON is rejected', () => {
    expect(() => readRulesFile('/nowhere/rules.json')).toThrow('/nowhere/rules.json: does not exist.')
    expect(() => readRulesFile(write('{'))).toThrow('is not valid JSON')
  })
})

function write(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-rules-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'rules.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
